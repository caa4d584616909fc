/** Imports files of TypeScript without a build. */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
// Written beside the packages, where the bundle's imports are resolved.
const cache = path.join(root, 'node_modules/.cache/turnpike');

/**
 * @param {readonly string[]} files relative to the root, without their ending.
 * @returns {Promise<object[]>} their exports.
 */
export async function importSource(files) {
  await mkdir(cache, { recursive: true });
  // Of this call alone: the tests and the documentation are checked beside each other.
  const folder = await mkdtemp(path.join(cache, 'source-'));
  const bundle = await rolldown({
    input: Object.fromEntries(files.map((file) => [file, path.join(root, `${file}.ts`)])),
    // Rolldown brings the helpers of decorators itself.
    external: (id) => !/^[.\0]|^@oxc-project\//.test(id) && !path.isAbsolute(id),
    platform: 'node',
    tsconfig: path.join(root, 'tsconfig.json'),
  });
  await bundle.write({ dir: folder, format: 'esm' });
  await bundle.close();
  // Not before the end: what a file imports when it is called is read then.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return Promise.all(
    files.map((file) => import(pathToFileURL(path.join(folder, `${file}.js`)).href)),
  );
}
