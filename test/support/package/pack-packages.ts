import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { create, extract } from 'tar';
import { publishedManifest } from '../../../scripts/published-manifest.mjs';
import { packageRoot } from '../../../src/platform/process/package-root.js';
import { manifest } from './manifest.js';
import { runNpm } from './run-npm.js';

/** The tarballs of both packages, of the build that is there. @returns their paths, in the folder. */
export async function packPackages(folder: string): Promise<{ turnpike: string; create: string }> {
  const sources = [packageRoot, path.join(packageRoot, 'packages/create-turnpike')];
  const [whole = '', created = ''] = await Promise.all(
    sources.map(async (source) => {
      const to = ['--pack-destination', folder, '--ignore-scripts', '--silent'];
      return path.join(folder, (await runNpm(source, 'pack', ...to)).trim());
    }),
  );
  // The scripts of a real `npm pack` change package.json, which other suites read.
  const unpacked = path.join(folder, 'unpacked');
  await mkdir(unpacked);
  await extract({ file: whole, cwd: unpacked });
  const published = JSON.stringify(publishedManifest(manifest));
  await writeFile(path.join(unpacked, 'package/package.json'), published);
  await create({ file: whole, cwd: unpacked, gzip: { level: 1 } }, ['package']);
  return { turnpike: whole, create: created };
}
