import { and, asc, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { turnArchives } from '../storage/schema.js';
import { compareCursors, type Position } from './cursor.js';
import type { TurnEvent } from './turn-event.js';

/** Runs of events read at a time: a run has one event or hundreds. */
const RUNS_AT_ONCE = 32;

/**
 * At most so many of the archived events of a turn after a position, in order. Reads by the primary
 * key of the archive from the run the position is in, however long the turn is.
 */
export async function archivedAfter(
  db: Queryable,
  turnId: string,
  { after, most }: { after: Position; most: number },
): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for (let last = after; events.length < most;) {
    const runs = await readRuns(db, turnId, last);
    const found = runs.flat().filter((event) => compareCursors(event, last) > 0);
    events.push(...found);
    const end = found.at(-1);
    if (end === undefined || runs.length < RUNS_AT_ONCE) break;
    last = end;
  }
  return events.slice(0, most);
}

/** From the last run that does not begin after the position's next event. */
async function readRuns(db: Queryable, turnId: string, after: Position): Promise<TurnEvent[][]> {
  const next = sql`(${after.attempt}::integer, ${after.seq + 1}::integer)`;
  const runs = await db
    .select({ events: turnArchives.events })
    .from(turnArchives)
    .where(
      and(
        eq(turnArchives.turnId, turnId),
        sql`(${turnArchives.attempt}, ${turnArchives.firstSeq}) >= (
          (select run.attempt, run.first_seq from ${turnArchives} run
            where run.turn_id = ${turnId} and (run.attempt, run.first_seq) <= ${next}
            order by run.attempt desc, run.first_seq desc limit 1)
          union all select 0, 0 order by 1 desc, 2 desc limit 1)`,
      ),
    )
    .orderBy(asc(turnArchives.attempt), asc(turnArchives.firstSeq))
    .limit(RUNS_AT_ONCE);
  return runs.map((run) => run.events);
}
