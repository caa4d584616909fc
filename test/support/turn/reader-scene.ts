import { eq, sql } from 'drizzle-orm';
import { silentLogger } from '../silent-logger.js';
import type { Database } from '../../../src/storage/connection.js';
import { readerProcesses, turnReaders, turns } from '../../../src/storage/schema.js';
import { AbandonedTurns } from '../../../src/turn/worker/sweeper.js';
import { TurnInserter } from '../../../src/turn/submit/insert-turn.js';
import { MemorySignalBus } from '../../../src/turn/queue/signal-bus.js';
import { Presence, READER_LEASE_MS, RENEW_MS } from '../../../src/turn/lifecycle/presence.js';
import { ManualClock } from '../manual-clock.js';
import { newTurn } from './new-turn.js';
import { someOptions, storeSession, storeTurn } from './store-turn.js';
import { UnansweredDatabase } from '../database/unanswered-database.js';

export const GRACE_MS = 5_000;

const config = { disconnectGraceMs: GRACE_MS };

/** Milliseconds between two sweeps. */
const STEP_MS = 500;

/** Milliseconds after which nothing changes but by renewals: the longest delay of a report that is stored again passes. */
const SETTLING_MS = 2 * RENEW_MS;

/** Milliseconds between two sweeps after that; after longer ones than 5 s a sweeper starts over. */
const LATER_STEP_MS = 2_500;

/**
 * Milliseconds beyond the grace for which an abandoned turn may live: two sweeps, and the check
 * between.
 */
export const CONFIRMED_MS = 3 * STEP_MS;

export const untilReadersLeave = {
  ...someOptions,
  options: { ...someOptions.options, onDisconnect: 'cancel' as const },
};

/** A process with readers. */
export interface ReaderProcess {
  presence: Presence;
  database: UnansweredDatabase;
}

/**
 * Two processes with readers and a sweeping one over one embedded database, whose clock and theirs
 * the test advances together.
 */
export class ReaderScene {
  readonly clock = new ManualClock();
  readonly bus = new MemorySignalBus();
  readonly here: ReaderProcess;
  readonly there: ReaderProcess;
  readonly sweeper: UnansweredDatabase;
  /** Turns whose workers got a hint of a cancellation. */
  readonly hinted: string[] = [];
  readonly #abandoned: AbandonedTurns;

  private constructor(private readonly db: Database) {
    this.here = this.open();
    this.there = this.open();
    this.sweeper = new UnansweredDatabase(db);
    const { clock, bus } = this;
    this.#abandoned = new AbandonedTurns(this.sweeper.db, bus, clock, config);
  }

  /** @param lookedOnMs milliseconds for which the sweeper has watched before the test. */
  static async start(db: Database, lookedOnMs = READER_LEASE_MS): Promise<ReaderScene> {
    await db.delete(turnReaders);
    await db.delete(readerProcesses);
    await db.delete(turns);
    const scene = new ReaderScene(db);
    await stopDatabaseClock(db);
    await setDatabaseClock(db, scene.clock.now());
    await scene.bus.onCancel((turnId) => scene.hinted.push(turnId));
    await scene.here.presence.start();
    await scene.there.presence.start();
    await scene.#settled();
    await scene.pass(lookedOnMs, 0);
    return scene;
  }

  open(): ReaderProcess {
    const database = new UnansweredDatabase(this.db);
    const { clock, bus } = this;
    const presence = new Presence(database.db, bus, clock, silentLogger, config);
    return { presence, database };
  }

  /** Stores a turn that ends with its readers, and has had none so far. */
  storeTurn(): Promise<string> {
    return storeTurn(this.db, { options: untilReadersLeave, createdAt: this.#now() });
  }

  /** Accepts a turn together with its reader, as a POST does. */
  async accept({ presence }: ReaderProcess): Promise<string> {
    const sessionId = await storeSession(this.db);
    const turn = newTurn(sessionId, {
      options: untilReadersLeave,
      readerProcess: presence.processId,
      now: this.#now(),
    });
    const limits = { queueDepth: 1_000, concurrentTurns: 0 };
    const accepted = await new TurnInserter(this.db).insert(turn, limits);
    if (accepted.type !== 'stored') throw new Error(accepted.type);
    presence.expect(accepted.turnId);
    return accepted.turnId;
  }

  /** @returns the call with which the reader leaves; both wait until their rows are stored. */
  async join({ presence }: ReaderProcess, turnId: string): Promise<() => Promise<void>> {
    const leave = presence.join(turnId);
    await this.#settled();
    return async () => {
      leave();
      await this.#settled();
    };
  }

  /**
   * Lets time pass, with two sweeps a second while what went before has effects, and one between two renewals later.
   *
   * @param settlingMs for how long it has effects.
   */
  async pass(ms: number, settlingMs = SETTLING_MS): Promise<void> {
    for (let passed = 0; passed < ms;) {
      const stepMs = Math.min(passed < settlingMs ? STEP_MS : LATER_STEP_MS, ms - passed);
      passed += stepMs;
      await setDatabaseClock(this.db, this.clock.now() + stepMs);
      await this.clock.advance(stepMs);
      await this.#settled();
      await this.#sweep();
    }
  }

  async isCancelled(turnId: string): Promise<boolean> {
    const [turn] = await this.db.select().from(turns).where(eq(turns.id, turnId));
    return turn?.cancelReason === 'disconnect';
  }

  #now(): Date {
    return new Date(this.clock.now());
  }

  /** Failures of a sweep are only logged, so only one without a database may fail here. */
  async #sweep(): Promise<void> {
    const { isAway } = this.sweeper;
    try {
      await this.#abandoned.cancel();
    } catch (error) {
      if (!isAway) throw error;
    }
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await this.here.database.settled();
    await this.there.database.settled();
  }
}

/**
 * Gives `now()` of an embedded database a time that the test sets: no statement waits for real
 * time.
 */
async function stopDatabaseClock(db: Database): Promise<void> {
  await db.execute(sql`create schema if not exists stopped_clock`);
  await db.execute(sql`
    create or replace function stopped_clock.now() returns timestamptz language sql stable
    as $$ select current_setting('stopped_clock.now')::timestamptz $$`);
  // The schema comes before `pg_catalog`, whose `now()` it hides.
  await db.execute(sql`set search_path to stopped_clock, public, pg_catalog`);
}

/** @param now milliseconds since the epoch. */
async function setDatabaseClock(db: Database, now: number): Promise<void> {
  const at = new Date(now).toISOString();
  await db.execute(sql`select set_config('stopped_clock.now', ${at}, false)`);
}
