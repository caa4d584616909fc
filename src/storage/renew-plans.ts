import type { Pool, PoolClient } from 'pg';
import { isDatabaseDown } from './database-errors.js';
import { PlanAge } from './plan-age.js';

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
