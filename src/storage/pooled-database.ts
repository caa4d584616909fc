import { DrizzleQueryError } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import type { Database, NamedStatement, PoolState } from './connection.js';
import { pause, systemClock } from '../platform/clock.js';
import { isDatabaseDown, NoConnectionError } from './database-errors.js';
import { leaveUnnamed } from './statements.js';
import * as schema from './schema.js';

/** Longest time for which the end of a pool lets statements wait for a connection, in ms. */
const END_MS = 1_000;

/**
 * The database over a pool. The query builder's own transaction keeps its connection for good where `begin`
 * fails, as it does on a connection that a restart of the server has broken.
 *
 * @param isNamed whether the server keeps statements by their names. It cannot where the next transaction may be at
 *   another of its connections.
 */
export function openPooled(pool: Pool, { isNamed }: { isNamed: boolean }): Database {
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
  const database = addNamed(Object.assign(db, { transaction }), ({ name, text, values }) =>
    pool.query({ ...(isNamed ? { name } : {}), text, values }),
  );
  if (!isNamed) leaveUnnamed(database);
  return database;
}

/** Adds `runNamed` to the database of a query builder. @param query sends a statement to the server. */
export function addNamed<Db extends object>(
  db: Db,
  query: (statement: NamedStatement) => Promise<{ rows: unknown[] }>,
): Db & Pick<Database, 'runNamed'> {
  const runNamed: Database['runNamed'] = async (statement) => {
    try {
      const { rows } = await query(statement);
      return rows as Record<string, unknown>[];
    } catch (error) {
      // As the query builder's own statements fail.
      const cause = error instanceof Error ? error : new Error(String(error));
      throw new DrizzleQueryError(statement.text, statement.values, cause);
    }
  };
  return Object.assign(db, { runNamed });
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
