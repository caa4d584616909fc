import type { CancelReason } from '../storage/schema.js';
import { announceAttempt } from './announce-attempt.js';
import { closeLog } from './close-log.js';
import { endTurn } from './end-turn.js';
import { Lease } from './lease.js';
import { openAttempt } from './open-attempt.js';
import type { TurnServices } from './turn-services.js';

/**
 * Ends a turn that no worker has had, here and now: it need not wait for one to be told that it is
 * not wanted.
 *
 * @returns false when a worker was quicker.
 */
export async function endWaitingTurn(
  services: TurnServices,
  turnId: string,
  reason: CancelReason,
): Promise<boolean> {
  const { claims, clock } = services;
  const claim = await claims.claim(turnId, new Date(clock.now()), 'unstarted');
  if (claim === undefined) return false;
  const { attempt, earlier } = await openAttempt(services, claim, new Lease());
  await announceAttempt(services, attempt, earlier.length > 0);
  await endTurn(attempt, { outcome: 'interrupted', exitCode: 130, reason });
  await closeLog(services, attempt);
  return true;
}
