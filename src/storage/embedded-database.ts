import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool } from 'pg';
import { systemClock, type Clock } from '../platform/clock.js';
import { Poller } from '../platform/async/poller.js';
import type { OpenedDatabase } from './connection.js';
import { openEnginePool, EngineThread } from './engine/engine-thread.js';
import {
  applyMigrations,
  checkMigrations,
  type SchemaReport,
  type MigrateMode,
} from './migrate-database.js';
import { tryDatabaseWrite } from './try-database-write.js';
import { endPool, openPooled, poolState } from './pooled-database.js';

interface Upkeep {
  clock?: Clock;
  /** Called when dead rows could not be removed; it is tried again. */
  onError?: (error: unknown) => void;
}

/**
 * Opens the embedded PostgreSQL of an engine that is starting, which applies missing migrations or refuses. It runs
 * in a thread, and takes the same driver as a server. Its close ends the engine.
 *
 * @throws SchemaError; what the engine did not start for.
 */
export async function openEmbeddedDatabase(
  starting: Promise<EngineThread>,
  migrate: MigrateMode = 'apply',
  { clock = systemClock, onError = () => undefined }: Upkeep = {},
): Promise<OpenedDatabase & { schema: SchemaReport }> {
  const engine = await starting;
  const pool = openEnginePool(engine);
  // A statement that needs the engine fails with it; an idle connection has nobody to tell.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const stopTidying = tidyTables(pool, clock, onError);
  const close = async (): Promise<void> => {
    stopTidying();
    await endPool(pool);
    await engine.close();
  };
  const db = openPooled(pool, { isNamed: true });
  const prepare = migrate === 'apply' ? applyMigrations : checkMigrations;
  try {
    return {
      db,
      schema: await prepare(drizzle(pool)),
      pool: () => poolState([pool]),
      ping: () => tryDatabaseWrite(db),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

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
function tidyTables(pool: Pool, clock: Clock, onError: (error: unknown) => void): () => void {
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
