import { compareCursors } from '../../events/cursor.js';
import type { TurnEvent } from '../../events/turn-event.js';
import { pause } from '../../platform/clock.js';
import type { Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';
import type { ChildTurn } from '../state/child-turn.js';

export type ChildEnd = Extract<TurnEvent, { type: 'turn.ended' }>;

/** What comes in this time is stored together, in ms. */
const TOLD_EVERY_MS = 25;

/**
 * Tells a subagent's stream on its parent's, from where it was told to, each event once.
 *
 * @param onEvent told of each, after it was told.
 * @returns its end; undefined when `signal` aborted before, or it was deleted.
 */
export async function relayChild(
  services: Pick<TurnServices, 'follower'>,
  { writer, clock }: Pick<Attempt, 'writer' | 'clock'>,
  child: ChildTurn,
  { signal, onEvent }: { signal: AbortSignal; onEvent?(event: TurnEvent): Promise<void> },
): Promise<ChildEnd | undefined> {
  const { id: childTurnId, callId } = child;
  for await (const events of services.follower.follow(childTurnId, signal)) {
    const fresh = events.filter((event) => compareCursors(event, child.told) > 0);
    const last = fresh.at(-1);
    if (last !== undefined) {
      child.told = last;
      // Stored before it is seen: what a crash could take back would be told twice.
      await writer.commit(
        fresh.map((event) => ({ type: 'subagent.told', callId, childTurnId, event })),
        [],
      );
      for (const event of fresh) await onEvent?.(event);
    }
    const end = events.find((event) => event.type === 'turn.ended');
    if (end !== undefined) return end;
    await pause(clock, TOLD_EVERY_MS);
  }
  return undefined;
}
