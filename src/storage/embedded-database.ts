import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { systemClock, type Clock } from '../platform/clock.js';
import type { OpenedDatabase } from './connection.js';
import { openEnginePool } from './engine/engine-pool.js';
import { EngineThread } from './engine/engine-thread.js';
import { tidyTables } from './engine/tidy-tables.js';
import { applyMigrations, checkMigrations, type SchemaReport } from './migrate/migrate-database.js';
import type { MigrateMode } from './migrate/migrate-mode.js';
import { endPool, openPooled, poolState } from './pooled-database.js';
import { prepareRepeated } from './prepare-repeated.js';
import { renewPlans } from './renew-plans.js';
import { StatementNames } from './statement-names.js';

interface Upkeep {
  clock?: Clock;
  /** Called when plans could not be renewed, or dead rows not removed; it is tried again. */
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
  renewPlans(pool, onError);
  const names = new StatementNames();
  pool.on('connect', (client) => {
    prepareRepeated(client, names);
    client.on('error', () => undefined);
  });
  const stopTidying = tidyTables(pool, clock, onError);
  const close = async (): Promise<void> => {
    stopTidying();
    await endPool(pool);
    await engine.close();
  };
  const db = openPooled(pool);
  const prepare = migrate === 'apply' ? applyMigrations : checkMigrations;
  try {
    return {
      db,
      schema: await prepare(drizzle(pool)),
      pool: () => poolState([pool]),
      ping: async () => {
        await db.execute(sql`select 1`);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
