import { Injectable } from '@nestjs/common';
import { ToolFailure } from '../../tools/tool-failure.js';
import type { Delegated } from '../../tools/tool.js';
import { QueueNotifier } from '../queue/queue-notifier.js';
import type { ChildTurn } from '../state/child-turn.js';
import type { DelegatingAttempt } from '../state/attempt-context.js';
import { clientNotice, type NoticePosted } from '../../events/turn-event.js';
import { withDeadline } from '../../platform/async/deadlines.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import type { Attempt } from '../state/attempt.js';
import { TurnFollower } from '../lifecycle/turn-follower.js';
import { addChildUsage, ApprovalRelay, relayChild, type ChildEnd } from './child-relay.js';
import { OptionLoader } from '../../options/option-loader.js';
import { startSubagent } from './start-subagent.js';

/** Longest time that the end of a turn waits for the ends of its subagents, in ms. */
const END_WAIT_MS = 10_000;

/** Delegates pieces of work to subagents, and ends them with their parent. */
@Injectable()
export class Delegator {
  constructor(
    private readonly options: OptionLoader,
    private readonly follower: TurnFollower,
    private readonly queue: QueueNotifier,
    private readonly canceller: TurnCanceller,
  ) {}

  /**
   * Starts a subagent, or finds the one that an earlier attempt started for the call; relays its
   * events to the run's stream, and returns its answer.
   *
   * @throws ToolFailure when there is no answer, with the reason; the reason of `signal`.
   */
  async delegate(run: DelegatingAttempt, work: Delegated): Promise<string> {
    const { callId, signal } = work;
    const known = run.children.find((one) => one.callId === callId);
    const child = known ?? (await startSubagent(this.options, run, work));
    const onBegun = known === undefined ? this.queue.wakeWorker(child.id, run.logger) : undefined;
    const approvals = new ApprovalRelay(run, run.deadline, child);
    try {
      const end = await run.withoutSlot(() =>
        relayChild(this.follower, run, child, {
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

  /**
   * Cancels the subagents, and relays their ends before the parent's. A subagent that does not end in
   * time is left to the sweeper.
   */
  async cancelAll(attempt: Attempt): Promise<void> {
    const unended = attempt.children.filter(({ usage, isOver }) => usage === undefined || !isOver);
    if (unended.length === 0) return;
    // A queued subagent may need the slot of this turn.
    await attempt.withoutSlot(async () => {
      await Promise.all(unended.map((child) => this.#cancel(attempt, child)));
    });
  }

  async #cancel(attempt: Attempt, child: ChildTurn): Promise<void> {
    const { clock, logger, writer, progress } = attempt;
    const fields = { childTurnId: child.id };
    try {
      if (child.usage === undefined) await this.canceller.cancel(child.id, 'parent-ended');
      const end = await withDeadline(clock, END_WAIT_MS, (signal) =>
        relayChild(this.follower, attempt, child, { signal }),
      );
      if (end === undefined) {
        logger.warn(fields, 'a subagent did not end with its parent');
        return writer.emit(notEnded(child));
      }
      for (const event of addChildUsage(progress, child, end)) writer.emit(event);
    } catch (error) {
      // The parent ends, whatever becomes of its subagents.
      logger.error({ ...fields, error }, 'a subagent could not be ended');
      writer.emit(notEnded(child));
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

function notEnded({ id, agent }: ChildTurn): NoticePosted {
  return clientNotice(
    'message',
    'subagent-not-ended',
    `The subagent ${agent} was asked to end and has not yet; follow it as turn ${id}.`,
    { childTurnId: id },
  );
}
