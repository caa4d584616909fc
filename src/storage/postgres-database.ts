import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import { Pool } from 'pg';
import type { OpenedDatabase } from './connection.js';
import { openCopyOut } from './copy-out.js';
import { migrationsFolder } from './migrations-folder.js';
import { openPooled, poolState } from './pooled-database.js';
import { prepareRepeated } from './prepare-repeated.js';
import { StatementNames } from './statement-names.js';

/** Key of the advisory lock of migrations: the first letters of the product's name. */
const migrationLock = 0x7475726e;

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`. */
  url: string;
  /** Most connections of this process. */
  connections: number;
  /** Called when an idle connection has broken; the pool replaces it. */
  onError(error: Error): void;
}

/**
 * Opens a pool of connections and applies the migrations that are missing, one process at a time.
 *
 * @throws what the driver throws when the server cannot be reached or refuses.
 */
export async function openPostgres(options: PostgresOptions): Promise<OpenedDatabase> {
  const pool = new Pool({
    connectionString: options.url,
    max: options.connections,
    application_name: 'turnpike',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    // A statement takes milliseconds: a longer statement waits for a network that is gone.
    query_timeout: 15_000,
    keepAlive: true,
  });
  pool.on('error', options.onError);
  const names = new StatementNames();
  pool.on('connect', (client) => {
    prepareRepeated(client, names);
    // The pool listens to idle connections only; a connection in use fails its statement and this.
    client.on('error', options.onError);
  });
  try {
    await migrateAlone(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  const db = openPooled(pool);
  return {
    db,
    copyOut: openCopyOut(pool),
    pool: () => poolState(pool),
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    close: () => pool.end(),
  };
}

async function migrateAlone(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    const db: NodePgDatabase = drizzle(client);
    await db.execute(sql`select pg_advisory_lock(${migrationLock})`);
    try {
      await migrate(db, { migrationsFolder });
    } finally {
      await db.execute(sql`select pg_advisory_unlock(${migrationLock})`);
    }
  } finally {
    client.release();
  }
}
