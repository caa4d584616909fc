import { sql } from 'drizzle-orm';
import { FencedError, GapError } from '../events/event-log.js';
import { isoTime } from '../platform/clock.js';
import { insertFrom } from '../storage/insert-from.js';
import { turnArchives, turns } from '../storage/schema.js';
import type { TurnPriority } from './turn-queue.js';
import type { TurnServices } from './turn-services.js';

/** A free worker takes a turn in a few milliseconds: one that waits longer waits for a worker. */
const ANNOUNCE_AFTER_MS = 250;

/**
 * Wakes a worker for an accepted turn, and tells its readers if it has to wait. Nobody waits for
 * this: the turn is stored, and whatever fails here, the sweeper finds it.
 *
 * @returns what to call when a worker has it: there is nothing to tell any more.
 */
export function wakeWorker(
  services: TurnServices,
  turnId: string,
  priority: TurnPriority,
): () => void {
  const { queue, clock, logger } = services;
  const warn = (error: unknown): void =>
    logger.warn({ turnId, error }, 'an accepted turn was not enqueued at once');
  queue.enqueue([turnId], priority).catch(warn);
  return clock.after(ANNOUNCE_AFTER_MS, () => {
    announceWait(services, turnId).catch(warn);
  });
}

/**
 * Said before any attempt, by no worker: attempt 0. Archived only while no worker has the turn, so
 * that the one that takes it knows of it, and gives it to a log that does not have it.
 */
async function announceWait(services: TurnServices, turnId: string): Promise<void> {
  const { queue, log, db, clock } = services;
  const position = await queue.position(turnId);
  if (position === 0) return;
  const queued = { type: 'turn.queued', position, attempt: 0, seq: 1, at: isoTime(clock) } as const;
  const row = { turnId, attempt: 0, firstSeq: 1, events: [queued] };
  const { rows } = await db.execute(sql`
    with waiting as (
      select ${turns.id} from ${turns} where ${turns.id} = ${turnId} and ${turns.attempt} = 0 for update
    )
    ${insertFrom(sql`waiting`, turnArchives, row, sql`on conflict do nothing returning turn_id`)}`);
  if (rows.length === 0) return;
  try {
    await log.append(turnId, 0, [queued]);
  } catch (error) {
    // A worker was quicker, and has said it.
    if (error instanceof FencedError || error instanceof GapError) return;
    throw error;
  }
}
