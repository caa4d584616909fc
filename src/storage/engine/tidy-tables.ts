import type { Pool } from 'pg';
import { Poller } from '../../platform/async/poller.js';
import type { Clock } from '../../platform/clock.js';

/** Time between two looks at the tables, in ms. */
const LOOK_MS = 10_000;

/** Tables with many rows that are dead, or that statistics do not know yet. */
const UNTIDY = `select format('%I', relname) as name from pg_stat_user_tables
  where greatest(n_dead_tup, n_mod_since_analyze) > 500 + n_live_tup / 10`;

/**
 * Removes dead rows and collects statistics, as the autovacuum of a server does and the embedded engine does not:
 * indexes of unended turns had an entry for each turn that has ended, and each claim read them all.
 *
 * @param onError a failure of a look; the next look tries again.
 * @returns ends it.
 */
export function tidyTables(
  pool: Pool,
  clock: Clock,
  onError: (error: unknown) => void,
): () => void {
  const poller = new Poller(() => tidy(pool), {
    clock,
    waitMs: () => LOOK_MS,
    onError: (error) => {
      // A look that the end of the pool broke off did not fail.
      if (!poller.isStopped) onError(error);
    },
  });
  poller.later();
  return () => void poller.stop();
}

/** Tables one by one: others are served in between. */
export async function tidy(pool: Pool): Promise<void> {
  // The engine counts rows in the session's memory, and publishes the counts when it is asked to.
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ name: string }>(UNTIDY);
  for (const { name } of rows) await pool.query(`vacuum (analyze) ${name}`);
}
