import type { CancelReason } from '../../storage/shapes/stored-turn.js';
import { promoteNextTurn } from './promote-next-turn.js';
import { announceAttempt } from '../attempt/attempt-announcer.js';
import { closeLog } from './close-log.js';
import { endTurn } from './end-turn.js';
import { Lease } from '../state/lease.js';
import { openAttempt } from '../attempt/attempt-opener.js';
import type { TurnServices } from '../state/turn-services.js';

/**
 * Ends a turn that no worker has, here and now: it need not wait for one to be told that it is not
 * wanted.
 *
 * @param which one that no worker has had, or one that waits for a person.
 * @returns false when a worker was quicker.
 */
export async function endWaitingTurn(
  services: TurnServices,
  turnId: string,
  { reason, which }: { reason: CancelReason; which: 'unstarted' | 'parked' },
): Promise<boolean> {
  const { claims, clock } = services;
  const claim = await claims.claim(turnId, new Date(clock.now()), which);
  if (claim === undefined) return false;
  const { attempt, earlier } = await openAttempt(services, claim, new Lease());
  await announceAttempt(services, attempt, earlier.length > 0);
  const ended = await endTurn(attempt, { outcome: 'interrupted', exitCode: 130, reason });
  if (ended.type === 'stored' && ended.hasNext) await promoteNextTurn(services, claim.sessionId);
  await closeLog(services, attempt);
  return true;
}
