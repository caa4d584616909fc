/**
 * `npm run build`: bundles the server into `dist/`, with the image of an empty, migrated database for new data folders.
 * The console's page goes to `dist/web`, the declarations of the typed client to `dist/client`, those of extensions to
 * `dist/extend`, the commit to `dist/commit`; `--without-types` leaves declarations out. The old `dist` stays in place
 * until the new one is whole.
 */
import { spawn } from 'node:child_process';
import { copyFile, cp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { buildBeside } from './build-beside.mjs';
import { buildServer } from './build-server.mjs';
import { emptyDatabase, migrationsFolder } from './empty-database.mjs';
import { findCommit } from './find-commit.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

const declarations = path.join(root, 'node_modules/.cache/turnpike/client-types');
const extendDeclarations = path.join(root, 'node_modules/.cache/turnpike/extend-types');
const withTypes = !process.argv.includes('--without-types');
await buildBeside(path.join(root, 'dist'), async (dist) => {
  const [, image, page] = await Promise.all([
    buildServer(dist),
    emptyDatabase(),
    buildConsole(),
    withTypes && run([path.join(root, 'scripts/client-types.mjs'), '--out', declarations]),
    withTypes && run([path.join(root, 'scripts/extend-types.mjs'), '--out', extendDeclarations]),
  ]);
  if (withTypes) {
    await cp(declarations, path.join(dist, 'client'), { recursive: true });
    await cp(extendDeclarations, path.join(dist, 'extend'), { recursive: true });
  }
  const commit = findCommit(root);
  if (commit !== undefined) await writeFile(path.join(dist, 'commit'), `${commit}\n`);
  await copyFile(image, path.join(dist, 'empty-database.tar.gz'));
  await cp(migrationsFolder, path.join(dist, 'migrations'), { recursive: true });
  await cp(page, path.join(dist, 'web'), { recursive: true });
});

function run(script) {
  const child = spawn(process.execPath, script, { cwd: root, stdio: ['ignore', 2, 2] });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${script.join(' ')} exited with ${code}`)),
    );
  });
}
