/**
 * The package.json of the published package: what the bundle does not contain is all that an install of it brings.
 * `npm pack` and `npm publish` write it in place of the repository's (`write`) and put that one back (`restore`);
 * the image is built from its text (`print`).
 */
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const file = path.join(root, 'package.json');
const saved = path.join(root, 'node_modules/.cache/turnpike/package.json');

/**
 * The packages that are not in the bundle: they look for files beside their code, or start it as a process. The
 * metadata of decorators is one of them because inside a bundle it would come after the first class that needs it.
 */
export const external = [
  '@electric-sql/pglite',
  'open',
  'pdfjs-dist',
  'pino',
  'pino-pretty',
  'reflect-metadata',
  'sharp',
  'tiktoken',
];

/**
 * @param {Record<string, any>} manifest the repository's.
 * @returns {Record<string, unknown>} the published one's.
 */
export function publishedManifest(manifest) {
  const dependencies = Object.fromEntries(
    external.map((name) => [name, manifest.dependencies[name]]),
  );
  const ours = ['scripts', 'workspaces', 'imports', 'devDependencies'];
  const others = Object.entries(manifest).filter(([field]) => !ours.includes(field));
  return { ...Object.fromEntries(others), dependencies };
}

async function published() {
  return `${JSON.stringify(publishedManifest(JSON.parse(await readFile(file, 'utf8'))), null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , command] = process.argv;
  if (command === 'print') process.stdout.write(await published());
  if (command === 'restore' && existsSync(saved)) await rename(saved, file);
  if (command === 'write') {
    // One that is still here is of a `npm pack` that was stopped: the file in place is the published one.
    if (existsSync(saved)) await copyFile(saved, file);
    await mkdir(path.dirname(saved), { recursive: true });
    await copyFile(file, saved);
    await writeFile(file, await published());
  }
}
