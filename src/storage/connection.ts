import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle, type PgliteDatabase } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import * as schema from './schema.js';

export type Database = PgliteDatabase<typeof schema>;
/** What a query runs on: the database, or a transaction of it. */
export type Queryable = Pick<Database, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export interface OpenedDatabase {
  db: Database;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/**
 * Opens the embedded PostgreSQL in `<dataDir>/db`, or in memory when `dataDir` is undefined, and
 * applies the migrations that are missing. A new folder takes seconds, an old one half a second.
 *
 * @param image a dump of an empty database to start a new one from (the tests' shortcut).
 */
export async function openEmbeddedDatabase(
  dataDir: string | undefined,
  image?: Blob,
): Promise<OpenedDatabase> {
  const folder = dataDir === undefined ? undefined : path.join(dataDir, 'db');
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const client = await PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    ...(image === undefined ? {} : { loadDataDir: image }),
  });
  const db = drizzle(client, { schema });
  await migrate(db, { migrationsFolder });
  return {
    db,
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    close: () => client.close(),
  };
}
