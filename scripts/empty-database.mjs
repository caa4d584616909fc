import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

export const migrationsFolder = path.join(root, 'src/storage/migrations');

/**
 * The image of an empty, migrated database: the engine takes seconds to make a database, and half a second to unpack
 * the image. It is cached beside the packages and made anew when a migration changes.
 *
 * @returns {Promise<string>} its file.
 */
export async function emptyDatabase() {
  const folder = path.join(root, 'node_modules/.cache/turnpike');
  const file = path.join(folder, `lone-database-${await imageKey()}.tar.gz`);
  if (existsSync(file)) return file;
  const { PGlite } = await import('@electric-sql/pglite');
  const { drizzle } = await import('drizzle-orm/pglite');
  const { migrate } = await import('drizzle-orm/pglite/migrator');
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(path.join(folder, 'lone-database-'));
  try {
    const client = await PGlite.create({ dataDir });
    await migrate(drizzle(client), { migrationsFolder });
    // Half of its files, which each first start would write: no other database is made from them.
    await client.exec(
      "update pg_database set datistemplate = false where datname like 'template%'",
    );
    for (const name of ['template0', 'template1']) await client.exec(`drop database ${name}`);
    // The files of an engine that was closed need no recovery when they are opened.
    await client.close();
    // Renamed as a whole: a build that is stopped half-way leaves no incomplete image.
    await create({ gzip: true, portable: true, cwd: dataDir, file: `${dataDir}.tar.gz` }, ['.']);
    await rename(`${dataDir}.tar.gz`, file);
  } finally {
    await rm(dataDir, { recursive: true });
  }
  return file;
}

async function imageKey() {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrationsFolder)).filter((n) => n.endsWith('.sql')).sort()) {
    hash.update(await readFile(path.join(migrationsFolder, name)));
  }
  const engine = path.join(root, 'node_modules/@electric-sql/pglite/package.json');
  hash.update(JSON.parse(await readFile(engine, 'utf8')).version);
  return hash.digest('hex').slice(0, 16);
}
