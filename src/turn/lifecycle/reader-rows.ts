import { and, eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { readerProcesses, turnReaders } from '../../storage/reader-schema.js';
import { turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { hasStatus } from '../state/turn-row.js';

/** Lease of a reader: a process that was silent for longer counts as none. */
export const READER_LEASE_MS = 15_000;

/** Time that rows of silent processes are kept. */
const KEPT_MS = 3_600_000;

/** A length of time for the database. */
export function interval(ms: number) {
  return sql`${`${ms} milliseconds`}::interval`;
}

/** A process's report of its readers, stored in one statement. */
export interface ReaderReport {
  processId: string;
  /** A time of the database, as it came: whatever the process knew then is reported by now. */
  asOf: string;
  /** Before this report, the database did not answer the process. */
  wasAway: boolean;
  /** Turns that readers of the process came to, or all left. */
  changes: readonly { turnId: string; hasLeft: boolean }[];
  /** Grace of a turn without any reader, in ms. */
  graceMs: number;
}

/** The database's time, to the microsecond. */
export async function loadDatabaseTime(db: Database): Promise<string> {
  const { rows } = await db.execute(sql`select now()::text as now`);
  const [row] = rows as { now: string }[];
  if (row === undefined) throw new Error('The database returned no time');
  return row.now;
}

/** Stores a report, readers and process together. Of a turn that has ended nothing is stored. */
export async function storeReport(db: Database, report: ReaderReport): Promise<void> {
  const { processId, asOf, wasAway, graceMs } = report;
  const changes = report.changes.map(({ turnId, hasLeft }) => ({
    turn_id: turnId,
    has_left: hasLeft,
  }));
  await db.execute(sql`
    with change as (
      select turn_id, has_left
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as given (turn_id text, has_left boolean)
    ),
    reader as (
      insert into ${turnReaders} (turn_id, process_id, until, has_left)
      select change.turn_id, ${processId}::text, now() +
        case when change.has_left then ${interval(graceMs)} else ${interval(READER_LEASE_MS)} end,
        change.has_left
      from change join ${turns} on turns.id = change.turn_id
      where ${hasStatus(...unendedStatuses)}
      on conflict (turn_id, process_id)
      do update set until = excluded.until, has_left = excluded.has_left
    )
    insert into ${readerProcesses} (process_id, stored_at, away_until)
    values (${processId}::text, ${asOf}::timestamptz, case when ${wasAway}::boolean then now() end)
    on conflict (process_id) do update set stored_at = excluded.stored_at,
      away_until = coalesce(excluded.away_until, reader_processes.away_until)`);
}

/** Removes old rows: of turns that this process no longer reads, and of processes that are gone. */
export async function removeOldReports(db: Database, ownId: string): Promise<void> {
  const { until, processId } = turnReaders;
  const ago = (ms: number) => sql`now() - ${interval(ms)}`;
  await db.delete(turnReaders).where(lt(until, ago(KEPT_MS)));
  await db
    .delete(turnReaders)
    .where(and(eq(processId, ownId), lt(until, ago(2 * READER_LEASE_MS))));
  await db.delete(readerProcesses).where(lt(readerProcesses.storedAt, ago(KEPT_MS)));
}

/** Marks the process as taking no more readers: nobody waits for its reports. */
export async function removeProcess(db: Database, processId: string): Promise<void> {
  await db.delete(readerProcesses).where(eq(readerProcesses.processId, processId));
}
