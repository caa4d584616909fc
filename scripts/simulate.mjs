/** `npm run simulate -- [options]`: bundles the simulation with the code that it runs, and starts it. */
import { rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { isTooOld } from './bring-node.mjs';
import { emptyDatabase } from './empty-database.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

// What an old Node lacks would be found as a fault of the server.
if (isTooOld()) {
  process.stderr.write('This Node is too old. npm run simulate takes the one that was brought.\n');
  process.exit(2);
}

// The other script starts this one, in copies of the tree.
if (process.argv.includes('--mutants')) await import('./simulate-mutants.mjs');
else await simulate();

async function simulate() {
  // Written beside the packages, where the bundle's imports are resolved; runs may overlap.
  const folder = path.join(root, `node_modules/.cache/turnpike/simulation-${process.pid}`);
  const bundle = await rolldown({
    cwd: root,
    input: path.join(root, 'simulation/main.ts'),
    // Rolldown brings the helpers of decorators itself.
    external: (id) => !/^[.\0]|^@oxc-project\//.test(id) && !path.isAbsolute(id),
    platform: 'node',
    tsconfig: path.join(root, 'tsconfig.json'),
  });
  await bundle.write({ dir: folder, format: 'esm', keepNames: true });
  await bundle.close();
  // The server looks for them beside its bundle.
  await symlink(path.join(root, 'src/storage/migrations'), path.join(folder, 'migrations'));
  process.argv.push('--database', await emptyDatabase());
  try {
    await import(pathToFileURL(path.join(folder, 'main.js')).href);
  } finally {
    await rm(folder, { recursive: true });
  }
}
