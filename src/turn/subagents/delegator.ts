import { Injectable } from '@nestjs/common';
import { ToolFailure, type DelegatedWork } from '../../tools/tool.js';
import { QueueNotifier } from '../queue/queue-notifier.js';
import type { ChildTurn } from '../state/attempt.js';
import type { DelegatingAttempt } from '../state/attempt-context.js';
import {
  clientNotice,
  type NoticePosted,
  type TurnEvent,
  type TurnEventBody,
} from '../../events/turn-event.js';
import { withDeadline } from '../../platform/async/deadlines.js';
import { TurnCanceller } from '../lifecycle/turn-canceller.js';
import type { Attempt, Progress } from '../state/attempt.js';
import { TurnFollower } from '../lifecycle/turn-follower.js';
import { OptionLoader } from '../../options/option-loader.js';
import { compareCursors } from '../../events/cursor.js';
import { pause } from '../../platform/clock.js';
import { changeState } from '../../governance/decision-tree/agent-state.js';
import type { Deadline } from '../state/lease.js';
import { addWaited } from '../approvals/approval-writes.js';
import { addChild } from '../state/turn-state.js';
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
  async delegate(run: DelegatingAttempt, work: DelegatedWork): Promise<string> {
    const { callId, signal } = work;
    const known = run.children.find((one) => one.callId === callId);
    const child = known ?? (await startSubagent(this.options, run, work));
    const waking =
      known === undefined ? this.queue.wakeWorker(child.id, undefined, run.logger) : undefined;
    const approvals = new ApprovalRelay(run, run.deadline, child);
    try {
      const end = await run.releaseSlotWhile(() =>
        relayChild(this.follower, run, child, {
          signal,
          onEvent: (event) => {
            if (event.attempt > 0) waking?.onBegun();
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
    await attempt.releaseSlotWhile(async () => {
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
        logger.warn(
          fields,
          'a subagent has not ended within 10 seconds of its cancellation; its parent ends without waiting for it',
        );
        return writer.emit(notEnded(child));
      }
      for (const event of addChildUsage(progress, child, end)) writer.emit(event);
    } catch (error) {
      // The parent ends also if its subagents do not.
      logger.error(
        { ...fields, error },
        'could not end a subagent with its parent; the parent ends, and the sweeper ends the subagent',
      );
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

type ChildEnd = Extract<TurnEvent, { type: 'turn.ended' }>;

/** Events that arrive in this time are stored together, in ms. */
const BATCH_MS = 25;

/**
 * Relays the events of a subagent after its cursor, each once, to its parent's stream.
 *
 * @param onEvent called for each event, after it was relayed.
 * @returns the child's end; undefined when `signal` aborted before it, or the child was deleted.
 */
async function relayChild(
  follower: TurnFollower,
  { writer, clock }: Pick<Attempt, 'writer' | 'clock'>,
  child: ChildTurn,
  { signal, onEvent }: { signal: AbortSignal; onEvent?(event: TurnEvent): Promise<void> },
): Promise<ChildEnd | undefined> {
  const { id: childTurnId, callId } = child;
  let end: ChildEnd | undefined;
  await follower.follow(childTurnId, signal, async (events) => {
    const fresh = events.filter((event) => compareCursors(event, child.relayedTo) > 0);
    const last = fresh.at(-1);
    if (last !== undefined) {
      child.relayedTo = last;
      // Stored before it is seen: an event that a crash took back would be relayed twice.
      await writer.commit(
        fresh.map((event) => ({ type: 'subagent.told', callId, childTurnId, event })),
        [],
      );
      for (const event of fresh) await onEvent?.(event);
    }
    end = events.find((event) => event.type === 'turn.ended');
    if (end === undefined) await pause(clock, BATCH_MS);
    return false;
  });
  return end;
}

/** Stops the parent's deadline while a subagent is parked. */
export class ApprovalRelay {
  readonly #open = new Set<string>();
  #isStopped = false;

  constructor(
    private readonly parent: Pick<Attempt, 'progress' | 'writer'>,
    private readonly deadline: Deadline,
    child: ChildTurn,
  ) {
    // An earlier attempt relayed the question.
    if (child.waitingSince !== null && child.usage === undefined) this.#ask('earlier');
  }

  async see(event: TurnEvent): Promise<void> {
    if (event.type === 'approval.requested') this.#ask(event.approvalId);
    if (event.type !== 'approval.resolved') return;
    this.#open.delete('earlier');
    this.#open.delete(event.approvalId);
    if (this.#open.size === 0) await this.stop();
  }

  async stop(): Promise<void> {
    if (!this.#isStopped) return;
    this.#isStopped = false;
    this.#open.clear();
    const { progress, writer } = this.parent;
    const ms = this.deadline.resume();
    if (ms === 0) return;
    const { state } = progress;
    progress.state = changeState(state, { startTime: Math.min(state.now, state.startTime + ms) });
    await writer.commit([], [addWaited({ ms: Math.round(ms) })]);
  }

  #ask(id: string): void {
    this.#open.add(id);
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.deadline.pause();
  }
}

/**
 * Settles the reservation of a subagent that has ended: its usage is the parent's.
 *
 * @returns the event of its end; none where an earlier attempt emitted it.
 */
function addChildUsage(
  progress: Progress,
  child: ChildTurn,
  { outcome, usage }: ChildEnd,
): TurnEventBody[] {
  if (child.usage === undefined) {
    child.usage = usage;
    progress.state = addChild(progress.state, usage, child.costLimit);
  }
  if (child.isOver) return [];
  child.isOver = true;
  const { id: childTurnId, callId } = child;
  return [{ type: 'subagent.ended', callId, childTurnId, outcome, usage }];
}
