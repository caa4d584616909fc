import { asc, eq } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { turnArchives } from '../storage/schema.js';
import type { TurnEvent } from './turn-event.js';

/** Keeps events for good. Called inside the transaction that stores the facts they tell. */
export async function archiveEvents(
  db: Queryable,
  turnId: string,
  events: readonly TurnEvent[],
): Promise<void> {
  const first = events[0];
  if (first === undefined) return;
  await db
    .insert(turnArchives)
    .values({ turnId, attempt: first.attempt, firstSeq: first.seq, events: [...events] });
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
