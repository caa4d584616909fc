import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { OpenedDatabase } from './connection.js';
import { migrationsFolder } from './migrations-folder.js';
import * as schema from './schema.js';

/** Made by the build; the sources run without one, only slower on a new folder. */
const builtImage = fileURLToPath(new URL('./empty-database.tar.gz', import.meta.url));

/**
 * Opens the embedded PostgreSQL in `<dataDir>/db`, or in memory when `dataDir` is undefined, and
 * applies the migrations that are missing. Opening takes half a second; a new folder one second
 * more, or several without the build's image of an empty database.
 *
 * @param image an image to use instead of the build's.
 */
export async function openEmbeddedDatabase(
  dataDir: string | undefined,
  image?: Blob,
): Promise<OpenedDatabase> {
  const client = await openEngine(dataDir, image ?? (await readBuiltImage()));
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

async function openEngine(dataDir: string | undefined, image: Blob | undefined): Promise<PGlite> {
  const start = image === undefined ? {} : { loadDataDir: image };
  if (dataDir === undefined) return PGlite.create(start);
  const folder = path.join(dataDir, 'db');
  if (!existsSync(folder)) {
    // Made under another name: a process that dies half-way leaves nothing that looks whole.
    const draft = `${folder}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    await (await PGlite.create({ dataDir: draft, ...start })).close();
    await rename(draft, folder);
  }
  return PGlite.create({ dataDir: folder });
}

async function readBuiltImage(): Promise<Blob | undefined> {
  return existsSync(builtImage) ? new Blob([await readFile(builtImage)]) : undefined;
}
