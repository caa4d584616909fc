import { asc, desc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { turnArchives } from '../storage/schema.js';
import type { Position } from './cursor.js';
import type { TurnEvent } from './turn-event.js';

/** Keeps what was said of a turn outside of any attempt. Saying it again changes nothing. */
export async function archiveEvents(
  db: Queryable,
  turnId: string,
  events: readonly TurnEvent[],
): Promise<void> {
  const first = events[0];
  if (first === undefined) return;
  const { attempt, seq: firstSeq } = first;
  await db
    .insert(turnArchives)
    .values({ turnId, attempt, firstSeq, events: [...events] })
    .onConflictDoNothing();
}

/** Everything archived of a turn, in order. */
export async function readArchive(db: Queryable, turnId: string): Promise<TurnEvent[]> {
  const runs = await db
    .select({ events: turnArchives.events })
    .from(turnArchives)
    .where(eq(turnArchives.turnId, turnId))
    .orderBy(asc(turnArchives.attempt), asc(turnArchives.firstSeq));
  return runs.flatMap((run) => run.events);
}

/** Whether anything of a turn is still archived. */
export async function hasArchive(db: Queryable, turnId: string): Promise<boolean> {
  return (await lastArchived(db, turnId)) !== undefined;
}

/** The last archived event of a turn; undefined where none is. */
export async function lastArchived(db: Queryable, turnId: string): Promise<Position | undefined> {
  const [last] = await db
    .select({
      attempt: turnArchives.attempt,
      seq: sql<number>`(${turnArchives.events} -> -1 ->> 'seq')::integer`,
    })
    .from(turnArchives)
    .where(eq(turnArchives.turnId, turnId))
    .orderBy(desc(turnArchives.attempt), desc(turnArchives.firstSeq))
    .limit(1);
  return last;
}
