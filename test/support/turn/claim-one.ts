import type { Claim } from '../../../src/turn/state/attempt.js';
import type { TurnClaims } from '../../../src/turn/queue/turn-claims.js';

/** Claims the turn that is next; undefined where none waits. */
export async function claimOne(
  claims: Pick<TurnClaims, 'claimNext'>,
  now = new Date(),
): Promise<Claim | undefined> {
  return (await claims.claimNext(1, now, null))[0];
}
