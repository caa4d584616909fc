/**
 * `npm run build`: bundles the server into `dist/`, with the image of an empty, migrated database for new
 * data folders: the engine takes seconds to make a database, and half a second to unpack the image. The image is
 * cached beside the packages and made anew when a migration changes. The console's page goes to `dist/web`,
 * the declarations of the typed client to `dist/client`, those of extensions to `dist/extend`, the commit to `dist/commit`;
 * `--without-types` leaves declarations out.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { create } from 'tar';
import { buildConsole } from './build-console.mjs';
import { buildServer } from './build-server.mjs';
import { findCommit } from './find-commit.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const migrationsFolder = path.join(root, 'src/storage/migrations');

const declarations = path.join(root, 'node_modules/.cache/turnpike/client-types');
const extendDeclarations = path.join(root, 'node_modules/.cache/turnpike/extend-types');
const withTypes = !process.argv.includes('--without-types');
const [, image, page] = await Promise.all([
  buildServer(),
  databaseImage(),
  buildConsole(),
  withTypes && run([path.join(root, 'scripts/client-types.mjs'), '--out', declarations]),
  withTypes && run([path.join(root, 'scripts/extend-types.mjs'), '--out', extendDeclarations]),
]);
if (withTypes) {
  await cp(declarations, path.join(root, 'dist/client'), { recursive: true });
  await cp(extendDeclarations, path.join(root, 'dist/extend'), { recursive: true });
}
const commit = findCommit(root);
if (commit !== undefined) await writeFile(path.join(root, 'dist/commit'), `${commit}\n`);
await copyFile(image, path.join(root, 'dist/empty-database.tar.gz'));
await cp(migrationsFolder, path.join(root, 'dist/migrations'), { recursive: true });
await cp(page, path.join(root, 'dist/web'), { recursive: true });

function run(script) {
  const child = spawn(process.execPath, script, { cwd: root, stdio: ['ignore', 2, 2] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${script.join(' ')} exited with ${code}`)),
    );
  });
}

async function databaseImage() {
  const folder = path.join(root, 'node_modules/.cache/turnpike');
  const file = path.join(folder, `closed-database-${await imageKey()}.tar.gz`);
  if (existsSync(file)) return file;
  const { PGlite } = await import('@electric-sql/pglite');
  const { drizzle } = await import('drizzle-orm/pglite');
  const { migrate } = await import('drizzle-orm/pglite/migrator');
  await mkdir(folder, { recursive: true });
  const dataDir = await mkdtemp(path.join(folder, 'closed-database-'));
  try {
    const client = await PGlite.create({ dataDir });
    await migrate(drizzle(client), { migrationsFolder });
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
