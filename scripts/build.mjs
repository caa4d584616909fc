/**
 * `npm run build`: compiles to `dist/`, and beside it makes the image of an empty, migrated
 * database that new data folders start from: the engine takes seconds to make one, and one second
 * to load it. The image is kept beside the packages and made anew when a migration changes.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const migrationsFolder = path.join(root, 'src/storage/migrations');

const [, image] = await Promise.all([compile(), databaseImage()]);
await copyFile(image, path.join(root, 'dist/storage/empty-database.tar.gz'));

function compile() {
  const nest = path.join(root, 'node_modules/@nestjs/cli/bin/nest.js');
  const child = spawn(process.execPath, [nest, 'build'], { cwd: root, stdio: ['ignore', 2, 2] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`nest build exited with ${code}`)),
    );
  });
}

async function databaseImage() {
  const folder = path.join(root, 'node_modules/.cache/turnpike');
  const file = path.join(folder, `empty-database-${await imageKey()}.tar.gz`);
  if (existsSync(file)) return file;
  const { PGlite } = await import('@electric-sql/pglite');
  const { drizzle } = await import('drizzle-orm/pglite');
  const { migrate } = await import('drizzle-orm/pglite/migrator');
  const client = await PGlite.create();
  await migrate(drizzle(client), { migrationsFolder });
  const image = await client.dumpDataDir('gzip');
  await client.close();
  await mkdir(folder, { recursive: true });
  // Renamed into place whole: a build that is stopped half-way leaves no half image.
  await writeFile(`${file}.${process.pid}`, Buffer.from(await image.arrayBuffer()));
  await rename(`${file}.${process.pid}`, file);
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
