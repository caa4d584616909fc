import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import type { PoolState } from './connection.js';
import { pause, systemClock } from '../platform/clock.js';
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
