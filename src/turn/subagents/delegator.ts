import { ToolFailure } from '../../tools/tool-failure.js';
import { Injectable } from '@nestjs/common';
import type { Delegated } from '../../tools/tool.js';
import { WorkerWaker } from '../queue/queue-positions.js';
import type { ChildTurn } from '../state/child-turn.js';
import type { TurnRun } from '../state/turn-run.js';
import { addChildUsage } from './add-child-usage.js';
import { ApprovalRelay } from './approval-relay.js';
import { ChildRelay, type ChildEnd } from './child-relay.js';
import { SubagentStarter } from './subagent-starter.js';

/** Delegates pieces of work to subagents. */
@Injectable()
export class Delegator {
  constructor(
    private readonly starter: SubagentStarter,
    private readonly relay: ChildRelay,
    private readonly waker: WorkerWaker,
  ) {}

  /**
   * Starts a subagent, or finds the one that an earlier attempt started for the call; relays its
   * events to the run's stream, and returns its answer.
   *
   * @throws ToolFailure when there is no answer, with the reason; the reason of `signal`.
   */
  async delegate(run: TurnRun, work: Delegated): Promise<string> {
    const { callId, signal } = work;
    const known = run.children.find((one) => one.callId === callId);
    const child = known ?? (await this.starter.start(run, work));
    const onBegun = known === undefined ? this.waker.wake(child.id, run.logger) : undefined;
    const approvals = new ApprovalRelay(run, run.terms.deadline, child);
    try {
      const end = await run.terms.withoutSlot(() =>
        this.relay.relay(run, child, {
          signal,
          onEvent: (event) => {
            onBegun?.();
            return approvals.see(event);
          },
        }),
      );
      signal.throwIfAborted();
      if (end === undefined) {
        throw new ToolFailure(`task: ${child.agent} was deleted before it ended`);
      }
      await run.writer.commit(addChildUsage(run.progress, child, end), []);
      return answerOf(child, end);
    } finally {
      await approvals.stop();
    }
  }
}

/**
 * The answer for the parent's model; at a limit of the subagent's own, what there is of an answer.
 *
 * @throws ToolFailure when the subagent did not finish.
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
