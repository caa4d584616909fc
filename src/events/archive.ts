import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm';
import type { ArchivedEvent } from '../storage/shapes/stored-step.js';
import { turnArchives } from '../storage/transcript-schema.js';
import type { Queryable } from '../storage/connection.js';
import { compareCursors, type EventCursor, followsOn } from './cursor.js';
import type { TurnEvent } from './turn-event.js';
import type { EventLog } from './event-log.js';
import type { TurnAttempt } from './turn-commits.js';

/** Archive rows loaded at a time: a row has one event or hundreds. */
const ROWS_AT_ONCE = 32;

/** All archived events of a turn, in order. */
export async function loadArchive(db: Queryable, turnId: string): Promise<TurnEvent[]> {
  const rows = await db
    .select({ events: turnArchives.events })
    .from(turnArchives)
    .where(eq(turnArchives.turnId, turnId))
    .orderBy(asc(turnArchives.attempt), asc(turnArchives.firstSeq));
  return rows.flatMap(eventsOf);
}

/** Archived events of turns, in order, by turn; nothing of a turn that has none. */
export async function loadArchives(
  db: Queryable,
  turnIds: readonly string[],
): Promise<Map<string, TurnEvent[]>> {
  const archives = new Map<string, TurnEvent[]>();
  if (turnIds.length === 0) return archives;
  const rows = await db
    .select({ turnId: turnArchives.turnId, events: turnArchives.events })
    .from(turnArchives)
    .where(inArray(turnArchives.turnId, [...turnIds]))
    .orderBy(asc(turnArchives.attempt), asc(turnArchives.firstSeq));
  for (const row of rows) {
    const events = archives.get(row.turnId) ?? [];
    events.push(...eventsOf(row));
    archives.set(row.turnId, events);
  }
  return archives;
}

/** Whether a turn has archived events: housekeeping deletes old ones. */
export async function hasArchive(db: Queryable, turnId: string): Promise<boolean> {
  return (await lastArchived(db, turnId)) !== undefined;
}

/** The last archived event of a turn; undefined where there is none. */
export async function lastArchived(
  db: Queryable,
  turnId: string,
): Promise<EventCursor | undefined> {
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

/**
 * Archived events of a turn after a cursor, in order, `most` at most. The query begins by primary key
 * at the row that the cursor is in, so its cost does not grow with the turn.
 */
export async function loadArchiveAfter(
  db: Queryable,
  turnId: string,
  { after, most }: { after: EventCursor; most: number },
): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  for (let last = after; events.length < most;) {
    const rows = await loadRows(db, turnId, last);
    const found = rows.flat().filter((event) => compareCursors(event, last) > 0);
    events.push(...found);
    const end = found.at(-1);
    if (end === undefined || rows.length < ROWS_AT_ONCE) break;
    last = end;
  }
  return events.slice(0, most);
}

/** Rows from the last one that does not begin after the cursor's next event. */
async function loadRows(db: Queryable, turnId: string, after: EventCursor): Promise<TurnEvent[][]> {
  const next = sql`(${after.attempt}::integer, ${after.seq + 1}::integer)`;
  const rows = await db
    .select({ events: turnArchives.events })
    .from(turnArchives)
    .where(
      and(
        eq(turnArchives.turnId, turnId),
        sql`(${turnArchives.attempt}, ${turnArchives.firstSeq}) >= (
          (select archive.attempt, archive.first_seq from ${turnArchives} archive
            where archive.turn_id = ${turnId} and (archive.attempt, archive.first_seq) <= ${next}
            order by archive.attempt desc, archive.first_seq desc limit 1)
          union all select 0, 0 order by 1 desc, 2 desc limit 1)`,
      ),
    )
    .orderBy(asc(turnArchives.attempt), asc(turnArchives.firstSeq))
    .limit(ROWS_AT_ONCE);
  return rows.map(eventsOf);
}

/** The events of a row: `TurnCommits` put nothing else there. */
function eventsOf({ events }: { events: ArchivedEvent[] }): TurnEvent[] {
  return events as TurnEvent[];
}

/** Most events of one append. */
const RUN_LENGTH = 500;

/**
 * Appends the events that the log lacks.
 *
 * @param known all events of the turn that are stored or at hand, in order; some may be there twice.
 * @param last where the log ends.
 * @throws Error when an event is missing among them: the log would have a gap.
 */
export async function restoreLog(
  log: EventLog,
  { turnId, attempt }: TurnAttempt,
  known: readonly TurnEvent[],
  last: EventCursor,
): Promise<void> {
  let run: TurnEvent[] = [];
  let end = last;
  let before = last;
  const send = async (): Promise<void> => {
    await log.append(turnId, attempt, run, before);
    before = end;
    run = [];
  };
  for (const event of known) {
    const continuity = followsOn(end, event, event);
    if (continuity === 'repeated') continue;
    if (continuity === 'gap') throw new Error(describeGap(end, event));
    // An append has events of one attempt.
    if (run.length === RUN_LENGTH || (run[0] && run[0].attempt !== event.attempt)) await send();
    run.push(event);
    end = event;
  }
  await send();
}

function describeGap(end: EventCursor, next: EventCursor): string {
  return `An event is missing between ${end.attempt}.${end.seq} and ${next.attempt}.${next.seq}`;
}
