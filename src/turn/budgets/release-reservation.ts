import { noUsage } from '../../events/turn-event.js';
import type { Queryable } from '../../storage/connection.js';
import type { Attempt } from '../state/attempt.js';
import { draftUsage } from './draft-usage.js';
import { settle } from './usage-days.js';

/**
 * Settles a call that its worker cut because it stops: the turn goes on elsewhere, where the
 * reservation is not known. Where settling fails, the reservation stands until the day is over.
 */
export async function releaseReservation(
  { progress, logger }: Attempt,
  db: Queryable,
): Promise<void> {
  const { reserved, draft } = progress;
  if (reserved === undefined) return;
  progress.reserved = undefined;
  try {
    await settle(db, reserved, draft === undefined ? noUsage : draftUsage(draft));
  } catch (error) {
    logger.warn({ error }, 'the reservation of a cut call stands until the day is over');
  }
}
