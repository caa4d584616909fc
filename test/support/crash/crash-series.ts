import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { startRehearsal, type Rehearsal } from '../../../rehearsal/start-rehearsal.js';
import type { Database } from '../../../src/storage/connection.js';
import { openEmbeddedDatabase } from '../../../src/storage/embedded-database.js';
import { startEngine } from '../../../src/storage/folder/open-folder.js';
import { openPostgres } from '../../../src/storage/postgres-database.js';
import { CrashScene } from './crash-scene.js';
import { instructionRootWith } from '../agents/instruction-root.js';
import { startProcess, type ServerProcess } from '../processes/start-process.js';
import { mendAll, stopAt, type Stop } from './stop-at.js';
import { newStore, type TestStore } from '../database/test-store.js';
import { newFolder } from '../suite.js';

/** A scene in which each `yield` is a kill -9: what follows it runs against the next process. */
export type CrashPlay = AsyncGenerator<undefined, void>;

export interface CrashPoint {
  line: string;
  /**
   * Statements that fail until the last process. Default tag: the scene's; others begin with it.
   */
  stops?: readonly (Omit<Stop, 'tag'> & { tag?: string })[];
  play(scene: CrashScene): CrashPlay;
}

export interface CrashSeriesOptions {
  points: Readonly<Record<string, CrashPoint>>;
  environment?: Record<string, string>;
  /** Kills before the last process. The stops are there until the last of them. */
  kills: number;
  /** Changes the store while no process is alive. @param isLast before the last process starts. */
  meanwhile?(db: Database, isLast: boolean): Promise<unknown>;
}

/**
 * Plays many crash points in the same processes, each in sessions of its own: a kill of the process
 * kills the turns of all of them, wherever each is.
 */
export class CrashSeries {
  readonly #plays = new Map<string, CrashPlay>();
  readonly #failures = new Map<string, unknown>();
  readonly #scenes: CrashScene[] = [];
  readonly #stops: Stop[];
  #server: ServerProcess | undefined;
  #world: { folder: string; instructions: string; model: Rehearsal; store: TestStore } | undefined;

  constructor(private readonly options: CrashSeriesOptions) {
    this.#stops = Object.entries(options.points).flatMap(([tag, { stops = [] }]) =>
      stops.map((stop) => ({ ...stop, tag: `(${stop.tag ?? tag})` })),
    );
  }

  /** Plays every point to its last kill, and starts the process after it. */
  async open(): Promise<void> {
    const folder = newFolder();
    const store = await newStore();
    const instructions = instructionRootWith({ SHELL: ['auto_approve_tools: [bash]'] });
    this.#world = { folder, instructions, store, model: await startRehearsal() };
    await inDatabaseOf(store, (db) => stopAt(db, this.#stops));
    await this.#start();
    const projectRoot = await mkdtemp(path.join(folder, 'project-'));
    for (const [tag, point] of Object.entries(this.options.points)) {
      const scene = new CrashScene(tag, projectRoot, instructions, () => this.#running());
      this.#scenes.push(scene);
      this.#plays.set(tag, point.play(scene));
    }
    for (let killed = 0; killed < this.options.kills; killed += 1) {
      await Promise.all([...this.#plays.keys()].map((tag) => this.#playOn(tag)));
      await this.#killAndStart(killed + 1 === this.options.kills);
    }
  }

  /** Plays the rest of a point, against the last process. */
  async finish(tag: string): Promise<void> {
    if (this.#failures.has(tag)) throw this.#failures.get(tag);
    await this.#plays.get(tag)?.next();
  }

  async close(): Promise<void> {
    await this.#server?.kill('SIGKILL');
    if (this.#world === undefined) return;
    const { folder, instructions, model, store } = this.#world;
    await model.close();
    await store.close();
    for (const made of [folder, instructions]) {
      // A process that a failed test left may still be writing here.
      await rm(made, { recursive: true, force: true, maxRetries: 10 });
    }
  }

  /**
   * Plays a point to its next kill. A failure is thrown by its own test and stops no other point.
   */
  async #playOn(tag: string): Promise<void> {
    try {
      await this.#plays.get(tag)?.next();
    } catch (error) {
      this.#failures.set(tag, error);
    }
  }

  async #killAndStart(isLast: boolean): Promise<void> {
    await this.#running().kill('SIGKILL');
    this.#server = undefined;
    const { meanwhile } = this.options;
    if (this.#world !== undefined) {
      await inDatabaseOf(this.#world.store, async (db) => {
        if (isLast) await mendAll(db, this.#stops);
        // As if the lease of the dead had run out.
        await db.execute(sql`update turns set lease_until = now() where lease_until > now()`);
        await meanwhile?.(db, isLast);
      });
    }
    await this.#start();
    await Promise.all(this.#scenes.map((scene) => scene.comeBack()));
  }

  async #start(): Promise<void> {
    if (this.#world === undefined) throw new Error('The series is not open');
    const { instructions, model, store } = this.#world;
    this.#server = await startProcess({
      ...store.environment,
      TURNPIKE_INSTRUCTION_ROOT: instructions,
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      ANTHROPIC_API_KEY: 'sk-ant-test-key',
      TURNPIKE_WORKER_CONCURRENCY: '32',
      // The lease outlives the way of every turn to its line: no attempt follows before the kill.
      TURNPIKE_LEASE_MS: '20000',
      ...this.options.environment,
    });
  }

  #running(): ServerProcess {
    if (this.#server === undefined) throw new Error('No process is alive');
    return this.#server;
  }
}

/**
 * Opens a store's database while no server has it: the embedded engine takes one process at a time.
 */
export async function inDatabaseOf<T>(
  { environment }: TestStore,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  const { DATABASE_URL: url, TURNPIKE_DATA_DIR: dataDir = '' } = environment;
  const { db, close } =
    url === undefined
      ? await openEmbeddedDatabase(startEngine(dataDir))
      : await openPostgres({ url, connections: 1, onError: () => undefined });
  try {
    return await work(db);
  } finally {
    await close();
  }
}
