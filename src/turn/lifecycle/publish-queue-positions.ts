import { and, asc, desc, eq, isNull, sql } from 'drizzle-orm';
import { FencedError, GapError } from '../../events/event-log.js';
import { isoTime } from '../../platform/clock.js';
import { insertFrom } from '../../storage/insert-from.js';
import { turnArchives } from '../../storage/transcript-schema.js';
import { turns } from '../../storage/schema.js';
import type { TurnServices } from '../state/turn-services.js';

type Services = Pick<TurnServices, 'db' | 'log' | 'clock' | 'logger'>;

/** Of a long queue not every step is published: each would go to every turn behind. */
function isPublished(position: number): boolean {
  return position <= 10 || position % 10 === 0;
}

/** Publishes the new queue positions of a session's held turns; 1 is the next. A failure is logged only. */
export async function publishQueuePositions(services: Services, sessionId: string): Promise<void> {
  const held = await services.db
    .select({ id: turns.id })
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        eq(turns.status, 'held'),
        isNull(turns.cancelRequestedAt),
      ),
    )
    .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id));
  for (const [index, { id }] of held.entries()) {
    if (!isPublished(index + 1)) continue;
    try {
      await publishQueuePosition(services, id, index + 1);
    } catch (error) {
      services.logger.warn({ turnId: id, error }, 'a queue position could not be published');
    }
  }
}

/**
 * The event comes before any attempt, from no worker: attempt 0. It is archived only while no worker has
 * the turn, so that the worker that claims the turn knows of it, and appends it to a log that lacks it.
 */
export async function publishQueuePosition(services: Services, turnId: string, position: number) {
  const { db, log, clock } = services;
  const [archived] = await db
    .select({ seq: sql<number>`coalesce(max(${turnArchives.firstSeq}), 0)::integer` })
    .from(turnArchives)
    .where(and(eq(turnArchives.turnId, turnId), eq(turnArchives.attempt, 0)));
  const seq = (archived?.seq ?? 0) + 1;
  const queued = { type: 'turn.queued', position, attempt: 0, seq, at: isoTime(clock) } as const;
  const row = { turnId, attempt: 0, firstSeq: seq, events: [queued] };
  const { rows } = await db.execute(sql`
    with waiting as (
      select ${turns.id} from ${turns} where ${turns.id} = ${turnId} and ${turns.attempt} = 0 for update
    )
    ${insertFrom(sql`waiting`, turnArchives, row, sql`on conflict do nothing returning turn_id`)}`);
  if (rows.length === 0) return;
  try {
    await log.append(turnId, 0, [queued]);
  } catch (error) {
    // A worker was quicker and has appended it; or another process, whose event comes before this one.
    if (error instanceof FencedError || error instanceof GapError) return;
    throw error;
  }
}
