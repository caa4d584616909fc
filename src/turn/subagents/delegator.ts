import { ToolFailure } from '../../tools/tool-failure.js';
import type { Delegated } from '../../tools/tool.js';
import type { TurnRun } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';
import type { ChildTurn } from '../state/child-turn.js';
import { addChildUsage } from './add-child-usage.js';
import { ApprovalRelay } from './approval-relay.js';
import { relayChild, type ChildEnd } from './child-relay.js';
import { startChild } from './subagent-starter.js';

/**
 * Has a subagent do a piece of work: starts it, or finds the one that an earlier attempt started
 * for this call, tells its stream on this one, and gives its answer.
 *
 * @throws ToolFailure when there is no answer, with what became of it; what `signal` aborted with.
 */
export async function delegate(
  services: TurnServices,
  run: TurnRun,
  work: Delegated,
): Promise<string> {
  const { callId, signal } = work;
  const known = run.children.find((one) => one.callId === callId);
  const child = known ?? (await startChild(services, run, work));
  const onBegun =
    known === undefined
      ? services.waker.wake(child.id, run.turn.options.options.priority)
      : undefined;
  const people = new ApprovalRelay(run, child);
  try {
    const end = await run.withoutSlot(() =>
      relayChild(services, run, child, {
        signal,
        onEvent: (event) => {
          onBegun?.();
          return people.see(event);
        },
      }),
    );
    signal.throwIfAborted();
    if (end === undefined)
      throw new ToolFailure(`task: ${child.agent} was deleted before it ended`);
    await run.writer.commit(addChildUsage(run, child, end), []);
    return answerOf(child, end);
  } finally {
    await people.stop();
  }
}

/**
 * What the parent's model is told: an answer, what there is of one at a limit of the subagent's own,
 * or that there is none.
 */
export function answerOf(
  { agent, id }: Pick<ChildTurn, 'agent' | 'id'>,
  { outcome, reason, text }: Pick<ChildEnd, 'outcome' | 'reason' | 'text'>,
): string {
  if (outcome === 'limited' && reason !== 'refusal' && text !== '')
    return `${agent} ended at a limit of its own (${reason}). What it has found so far:\n\n${text}`;
  if (outcome === 'completed') return text === '' ? `${agent} is done and says nothing.` : text;
  throw new ToolFailure(
    `task: ${agent} did not finish: ${outcome} (${reason}). Its unfinished work is in turn ${id}, and not part of this conversation.`,
  );
}
