import type { Pool, PoolClient } from 'pg';
import { PlanAge } from './plan-age.js';

/** Makes the connections of a pool plan their prepared statements anew from time to time: see `PlanAge`. */
export function renewPlans(pool: Pool, now: () => number = () => performance.now()): void {
  const ages = new WeakMap<PoolClient, PlanAge>();
  pool.on('connect', (client) => ages.set(client, new PlanAge(now)));
  // Nobody who is given a connection has begun a transaction yet.
  pool.on('acquire', (client) => {
    if (ages.get(client)?.isOver() !== true) return;
    // A connection that is broken fails the statement behind this one too, which has somebody to tell.
    client.query('discard plans').catch(() => undefined);
  });
}
