import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool, QueryConfig, PoolClient } from 'pg';
import { pause, systemClock } from '../platform/clock.js';
import type { PoolState } from './connection.js';
import { isDatabaseDown, NoConnectionError } from './database-errors.js';
import * as schema from './schema.js';

/** Longest time for which the end of a pool lets statements wait for a connection, in ms. */
const END_MS = 1_000;

/**
 * The database over a pool. The query builder's own transaction keeps its connection for good where `begin`
 * fails, as it does on a connection that a restart of the server has broken.
 */
export function openPooled(pool: Pool): NodePgDatabase<typeof schema> {
  const db = drizzle(pool, { schema });
  const transaction: typeof db.transaction = async (work, config) => {
    const client = await pool.connect().catch((cause: unknown) => {
      throw new NoConnectionError('There is no connection to the database', { cause });
    });
    let isBroken = false;
    try {
      return await drizzle(client, { schema }).transaction(work, config);
    } catch (error) {
      // Whether the transaction was rolled back is then unknown.
      isBroken = isDatabaseDown(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  };
  return Object.assign(db, { transaction });
}

/** The connections of pools together. */
export function poolState(pools: readonly Pool[]): PoolState {
  const sum = { active: 0, idle: 0, waiting: 0 };
  for (const { totalCount, idleCount, waitingCount } of pools) {
    sum.active += totalCount - idleCount;
    sum.idle += idleCount;
    sum.waiting += waitingCount;
  }
  return sum;
}

/** Ends a pool. Statements that wait for a connection go first: an ended pool would never answer them. */
export async function endPool(pool: Pool): Promise<void> {
  const until = performance.now() + END_MS;
  while (pool.waitingCount > 0 && performance.now() < until) await pause(systemClock, 1);
  await pool.end();
}

/**
 * Makes the connections of a pool prepare repeated statements, which the server then parses once; or nothing, where the
 * next transaction may be at another connection of the server.
 *
 * @param onError see `renewPlans`.
 */
export function preparePool(
  pool: Pool,
  preparesStatements: boolean,
  onError: (error: Error) => void,
): void {
  if (preparesStatements) renewPlans(pool, onError);
  const names = new StatementNames();
  const change = preparesStatements
    ? (config: QueryConfig) => named(config, names)
    : (config: QueryConfig) => ({ ...config, name: undefined });
  pool.on('connect', (client) => {
    const query = client.query.bind(client);
    const changed = (config: unknown, ...rest: unknown[]): unknown =>
      Reflect.apply(query, client, [isText(config) ? change(config) : config, ...rest]);
    client.query = changed as typeof client.query;
  });
}

/** A statement that has a name of its own keeps it. */
function named(config: QueryConfig, names: StatementNames): QueryConfig {
  const name = config.name === undefined ? names.nameOf(config.text) : undefined;
  return name === undefined ? config : { ...config, name };
}

function isText(config: unknown): config is QueryConfig {
  return typeof config === 'object' && config !== null && 'text' in config && !('submit' in config);
}

/** Most statements that stay prepared. */
const MOST_NAMES = 200;

/**
 * Names of statements that are prepared: those whose text comes a second time. The query builder gives a
 * statement the same text each time.
 */
export class StatementNames {
  readonly #names = new Map<string, string | undefined>();

  /** @returns undefined for a text that is seen for the first time, or is one too many. */
  nameOf(text: string): string | undefined {
    if (!this.#names.has(text)) {
      if (this.#names.size < MOST_NAMES) this.#names.set(text, undefined);
      return undefined;
    }
    const name = this.#names.get(text) ?? `turnpike_${[...this.#names.keys()].indexOf(text)}`;
    this.#names.set(text, name);
    return name;
  }
}

/**
 * Makes the connections of a pool plan their prepared statements anew from time to time: see `PlanAge`.
 *
 * @param onError an error other than that the database is away, which the statement behind has too.
 */
export function renewPlans(
  pool: Pool,
  onError: (error: Error) => void,
  now: () => number = () => performance.now(),
): void {
  const ages = new WeakMap<PoolClient, PlanAge>();
  pool.on('connect', (client) => ages.set(client, new PlanAge(now)));
  // Nobody who is given a connection has begun a transaction yet.
  pool.on('acquire', (client) => {
    if (ages.get(client)?.isOver() !== true) return;
    client.query('discard plans').catch((error: Error) => {
      if (!isDatabaseDown(error)) onError(error);
    });
  });
}

/** Time after which first plans are made anew, in ms; later plans last twice as long each time. */
const FIRST_MS = 1_000;
/** Longest time for which plans are kept, in ms. */
const MOST_MS = 60_000;

/**
 * The age of a connection's plans of prepared statements. A plan that was made when tables were small reads them
 * as a whole. A server keeps it until it has collected statistics, a minute later at best, and the embedded engine
 * collects none. New tables grow fastest, so plans are made anew after a second, after two more, after four, and
 * each minute in the end.
 */
export class PlanAge {
  #since: number;
  #lastMs = FIRST_MS;

  /** @param now milliseconds of a clock that is never set back. */
  constructor(private readonly now: () => number) {
    this.#since = now();
  }

  /** Whether plans are to be made anew; the age begins again then. */
  isOver(): boolean {
    if (this.now() - this.#since < this.#lastMs) return false;
    this.#since = this.now();
    this.#lastMs = Math.min(this.#lastMs * 2, MOST_MS);
    return true;
  }
}
