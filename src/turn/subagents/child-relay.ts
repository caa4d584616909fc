import { compareCursors } from '../../events/cursor.js';
import type { TurnEvent, TurnEventBody } from '../../events/turn-event.js';
import { pause } from '../../platform/clock.js';
import type { ChildTurn } from '../state/child-turn.js';
import type { Attempt, Progress } from '../state/attempt.js';
import type { TurnFollower } from '../lifecycle/turn-follower.js';
import { changeState } from '../../governance/decision-tree/agent-state.js';
import type { Deadline } from '../state/lease.js';

import { addWaited } from '../approvals/approval-writes.js';
import { addChild } from '../state/turn-state.js';

export type ChildEnd = Extract<TurnEvent, { type: 'turn.ended' }>;

/** Events that arrive in this time are stored together, in ms. */
const BATCH_MS = 25;

/**
 * Relays the events of a subagent after its cursor, each once, to its parent's stream.
 *
 * @param onEvent called for each event, after it was relayed.
 * @returns the child's end; undefined when `signal` aborted before it, or the child was deleted.
 */
export async function relayChild(
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
export function addChildUsage(
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
