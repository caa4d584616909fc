import type { TurnEvent } from '../../../src/events/turn-event.js';
import type { TurnFollower } from '../../../src/turn/lifecycle/turn-follower.js';

/**
 * Reads a turn's events to its end, or until some were enough.
 *
 * @param isEnough is asked after each batch, with all events so far. Default: none are.
 */
export async function readTurn(
  follower: Pick<TurnFollower, 'follow'>,
  turnId: string,
  isEnough: (seen: readonly TurnEvent[]) => boolean | Promise<boolean> = () => false,
): Promise<TurnEvent[]> {
  const seen: TurnEvent[] = [];
  await follower.follow(turnId, new AbortController().signal, (events) => {
    seen.push(...events);
    return isEnough(seen);
  });
  return seen;
}
