import { Inject, Injectable } from '@nestjs/common';
import { and, eq, lt, sql } from 'drizzle-orm';
import { CONFIG, type Config } from '../../config/config.js';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { withTimeout, retry, type RetryDelays } from '../../platform/async/deadlines.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { SIGNAL_BUS, type SignalBus, type StopListening } from '../queue/signal-bus.js';
import { readerProcesses, turnReaders, turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { hasStatus } from '../state/turn-row.js';

/** Interval at which the readers of this process are renewed, in ms. */
export const RENEW_MS = 5_000;

/** The delays before a report that failed is stored again. */
const retryDelays: RetryDelays = { firstMs: 100, maxMs: 1_000 };

/** A database that takes longer than this for a report, in ms, did not answer. */
const ANSWER_MS = 5_000;

/** Grace for the sender of a turn to begin to read it, in ms, before it counts as having left. */
const ARRIVAL_MS = 5_000;

/** Longest time that a stopping process waits for its last report, in ms. */
const CLOSE_WAIT_MS = 1_000;

/**
 * Readers of turns: a row for each process that reads a turn, with a lease, and one for the process
 * itself, with the time up to which its readers are known. The rows are in the database, as the
 * absence of readers ends a turn: an emptied cache must not look like an absence. A report that
 * could not be stored is retried until it is.
 */
@Injectable()
export class Presence {
  /** Id of this process in the rows of turns that are accepted here. */
  readonly processId = newId('proc');
  readonly #counts = new Map<string, number>();
  /** Turns accepted here that have no reader yet, each with a function to call when one comes. */
  readonly #expected = new Map<string, () => void>();
  /** Turns whose rows differ from the counts. */
  readonly #changed = new Set<string>();
  #wasAway = false;
  #isAsked = false;
  #storing: Promise<void> | undefined;
  readonly #renewals: Poller;
  #stopListening: StopListening = () => undefined;
  #stopped = false;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'disconnectGraceMs'>,
  ) {
    this.#renewals = new Poller(() => this.#renew(), { clock, waitMs: () => RENEW_MS });
  }

  async start(): Promise<void> {
    this.#stopListening = await this.bus.onReaderCheck(() => this.#store());
    this.#store();
    this.#renewals.later();
  }

  /** A turn was accepted here with a row of this process: its reader is about to come. */
  expect(turnId: string): void {
    if (this.#stopped || this.#counts.has(turnId)) return;
    const cancel = this.clock.after(ARRIVAL_MS, () => {
      this.#expected.delete(turnId);
      this.#change(turnId);
    });
    this.#expected.set(turnId, cancel);
  }

  /** @returns what to call, once, when this reader is gone. */
  join(turnId: string): () => void {
    const count = this.#counts.get(turnId) ?? 0;
    this.#counts.set(turnId, count + 1);
    // An expected reader's row was stored with its turn.
    if (!this.#arrive(turnId) && count === 0) this.#change(turnId);
    return () => {
      const left = (this.#counts.get(turnId) ?? 0) - 1;
      if (left > 0) return void this.#counts.set(turnId, left);
      // The turn ended while this reader was still attached, and was forgotten.
      if (this.#counts.delete(turnId)) this.#change(turnId);
    };
  }

  /** Whether anybody reads a turn at this process, or is about to. */
  has(turnId: string): boolean {
    return this.#counts.has(turnId) || this.#expected.has(turnId);
  }

  /** The turn has ended: nobody's absence matters any more. */
  forget(turnId: string): void {
    this.#counts.delete(turnId);
    this.#changed.delete(turnId);
    this.#arrive(turnId);
  }

  /** The database did not answer this process: readers could not come, and may come back. */
  noteAway(): void {
    this.#wasAway = true;
    this.#store();
  }

  async close(): Promise<void> {
    const { db, logger } = this;
    this.#stopped = true;
    void this.#renewals.stop();
    this.#stopListening();
    for (const cancel of this.#expected.values()) cancel();
    this.#counts.clear();
    const removed = Promise.resolve(this.#storing).then(() => removeProcess(db, this.processId));
    try {
      await withTimeout(CLOSE_WAIT_MS, removed);
    } catch (error) {
      logger.warn(
        { error },
        'could not delete the readers of this process at its stop; they count until their lease ends',
      );
    }
  }

  async #renew(): Promise<void> {
    for (const turnId of this.#counts.keys()) this.#changed.add(turnId);
    this.#store();
    // Leases are renewed in time, however long this takes.
    void this.#removeOld();
  }

  async #removeOld(): Promise<void> {
    try {
      await removeOldReports(this.db, this.processId);
    } catch (error) {
      this.logger.warn(
        { error },
        'could not delete the readers of processes that are gone; trying again in 5 seconds',
      );
    }
  }

  /** @returns whether the turn had no reader before. */
  #arrive(turnId: string): boolean {
    this.#expected.get(turnId)?.();
    return this.#expected.delete(turnId);
  }

  #change(turnId: string): void {
    this.#changed.add(turnId);
    this.#store();
  }

  #store(): void {
    this.#isAsked = true;
    if (this.#stopped) return;
    this.#storing ??= this.#storeAll().finally(() => (this.#storing = undefined));
  }

  /**
   * Stores one report at a time, so that arrivals and departures of readers are stored in order.
   */
  async #storeAll(): Promise<void> {
    const { clock, logger } = this;
    const mayRetry = (error: unknown): boolean => {
      logger.warn(
        { error },
        'could not store the readers of this process; trying again within a second',
      );
      this.#wasAway = true;
      return true;
    };
    while (this.#isAsked && !this.#stopped) {
      await retry(clock, { ...retryDelays, mayRetry }, async () => {
        this.#isAsked = false;
        if (!this.#stopped) await this.#report();
      });
    }
  }

  async #report(): Promise<void> {
    const { db, clock } = this;
    const { disconnectGraceMs: graceMs } = this.config;
    const startedAt = clock.now();
    // The reset comes first: a report that waits for its statement must not count later readers.
    const asOf = await loadDatabaseTime(db);
    const wasAway = this.#wasAway;
    const turnIds = [...this.#changed];
    this.#wasAway = false;
    this.#changed.clear();
    const changes = turnIds.map((turnId) => ({ turnId, hasLeft: !this.#counts.has(turnId) }));
    try {
      await storeReport(db, { processId: this.processId, asOf, wasAway, changes, graceMs });
    } catch (error) {
      for (const turnId of turnIds) this.#changed.add(turnId);
      throw error;
    }
    if (clock.now() - startedAt > ANSWER_MS) this.noteAway();
  }
}

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
async function loadDatabaseTime(db: Database): Promise<string> {
  const { rows } = await db.execute(sql`select now()::text as now`);
  const [row] = rows as { now: string }[];
  if (row === undefined) throw new Error('The database returned no time');
  return row.now;
}

/** Stores a report, readers and process together. Of a turn that has ended nothing is stored. */
async function storeReport(db: Database, report: ReaderReport): Promise<void> {
  const { processId, asOf, wasAway, graceMs } = report;
  const changes = report.changes.map(({ turnId, hasLeft }) => ({
    turn_id: turnId,
    has_left: hasLeft,
  }));
  await db.execute(sql`
    with change as (
      select turn_id, has_left
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as input (turn_id text, has_left boolean)
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
async function removeOldReports(db: Database, ownId: string): Promise<void> {
  const { until, processId } = turnReaders;
  const ago = (ms: number) => sql`now() - ${interval(ms)}`;
  await db.delete(turnReaders).where(lt(until, ago(KEPT_MS)));
  await db
    .delete(turnReaders)
    .where(and(eq(processId, ownId), lt(until, ago(2 * READER_LEASE_MS))));
  await db.delete(readerProcesses).where(lt(readerProcesses.storedAt, ago(KEPT_MS)));
}

/** Marks the process as taking no more readers: nobody waits for its reports. */
async function removeProcess(db: Database, processId: string): Promise<void> {
  await db.delete(readerProcesses).where(eq(readerProcesses.processId, processId));
}
