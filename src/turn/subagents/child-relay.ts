import { Injectable } from '@nestjs/common';
import { compareCursors } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { pause } from '../../platform/clock.js';
import type { ChildTurn } from '../state/child-turn.js';
import type { Attempt } from '../state/attempt.js';
import { TurnFollower } from '../stream/turn-follower.js';

export type ChildEnd = Extract<TurnEvent, { type: 'turn.ended' }>;

/** Events that arrive in this time are stored together, in ms. */
const BATCH_MS = 25;

/** Relays the events of subagents to the streams of their parents. */
@Injectable()
export class ChildRelay {
  constructor(private readonly follower: TurnFollower) {}

  /**
   * Relays the events after the child's cursor, each once.
   *
   * @param onEvent called for each event, after it was relayed.
   * @returns the child's end; undefined when `signal` aborted before it, or the child was deleted.
   */
  async relay(
    { writer, clock }: Pick<Attempt, 'writer' | 'clock'>,
    child: ChildTurn,
    { signal, onEvent }: { signal: AbortSignal; onEvent?(event: TurnEvent): Promise<void> },
  ): Promise<ChildEnd | undefined> {
    const { id: childTurnId, callId } = child;
    let end: ChildEnd | undefined;
    await this.follower.follow(childTurnId, signal, async (events) => {
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
}
