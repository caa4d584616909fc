import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { errorCode } from '../../src/platform/error-code.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const migrationsFolder = path.join(root, 'src/storage/migrations');
const cacheFolder = path.join(root, 'node_modules/.cache/turnpike');

/**
 * An empty, migrated database as a file image: making one takes seconds, loading it one. Made once
 * for each set of migrations and version of the engine, and kept beside the packages.
 */
export async function emptyDatabaseImage(): Promise<Blob> {
  const file = path.join(cacheFolder, `${await imageKey()}.tar`);
  try {
    return new Blob([await readFile(file)]);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  const client = await PGlite.create();
  await migrate(drizzle(client), { migrationsFolder });
  const image = await client.dumpDataDir('none');
  await client.close();
  // Renamed into place whole: test files in other workers may look at the same moment.
  await mkdir(cacheFolder, { recursive: true });
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, Buffer.from(await image.arrayBuffer()));
  await rename(draft, file);
  return image;
}

async function imageKey(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrationsFolder)).filter((n) => n.endsWith('.sql')).sort()) {
    hash.update(await readFile(path.join(migrationsFolder, name)));
  }
  const manifest = path.join(root, 'node_modules/@electric-sql/pglite/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8')) as { version: string };
  return hash.update(version).digest('hex').slice(0, 16);
}
