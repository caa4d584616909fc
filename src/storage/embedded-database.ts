import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import type { OpenedDatabase } from './connection.js';
import { prepareEmbedded } from './prepare-embedded.js';
import { migrationsFolder } from './migrations-folder.js';
import * as schema from './schema.js';

/** Image of an empty database, which the build makes; without it a new folder takes longer. */
const builtImage = fileURLToPath(new URL('./empty-database.tar.gz', import.meta.url));

/**
 * Opens the embedded PostgreSQL in `<dataDir>/db` and applies the migrations that are missing.
 * Opening takes half a second; a new folder one second more, or several without the build's image
 * of an empty database.
 */
export async function openEmbeddedDatabase(dataDir: string): Promise<OpenedDatabase> {
  const client = await openEngine(path.join(dataDir, 'db'));
  const db = drizzle(client, { schema });
  await migrate(db, { migrationsFolder });
  prepareEmbedded(client);
  return {
    db,
    ping: async () => {
      await db.execute(sql`select 1`);
    },
    close: () => client.close(),
  };
}

async function openEngine(folder: string): Promise<PGlite> {
  if (!existsSync(folder)) {
    const image = await loadBuiltImage();
    const start = image === undefined ? {} : { loadDataDir: image };
    // Made under another name: a process that dies half-way leaves nothing that looks whole.
    const draft = `${folder}.new`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { recursive: true });
    await (await PGlite.create({ dataDir: draft, ...start })).close();
    await rename(draft, folder);
  }
  return PGlite.create({ dataDir: folder });
}

async function loadBuiltImage(): Promise<Blob | undefined> {
  return existsSync(builtImage) ? new Blob([await readFile(builtImage)]) : undefined;
}
