/**
 * Builds the console's page from `web/`: files for `dist/web`, with compressed copies beside them. The
 * result is cached beside the packages and built anew when its source or its packages change, since it
 * takes seconds and most builds do not need it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const cache = path.join(root, 'node_modules/.cache/turnpike');

/** The page's sources: `web/`, the manual that it shows, and from `src` the client and some pure files. */
const sources = [
  'web',
  'docs',
  'src/client',
  'src/governance',
  'src/platform',
  'package-lock.json',
];

/** Bytes from which on a file is compressed. */
const MIN_BYTES = 512;

/** The best one, 11, takes six seconds of every first start for a tenth of the bytes. */
const BROTLI_QUALITY = 6;

/** @returns {Promise<string>} the folder with the built page. */
export async function buildConsole() {
  const name = `console-${await sourceKey()}`;
  const folder = path.join(cache, name);
  if (existsSync(folder)) return folder;
  const making = `${folder}.${process.pid}`;
  await makePage(making);
  const sizes = await compress(making);
  await forgetOlder(name, making);
  // Renamed as a whole: a build that is stopped half-way leaves no incomplete page.
  await rename(making, folder).catch(async (error) => {
    if (!existsSync(folder)) throw error;
    await rm(making, { recursive: true });
  });
  const page = await readFile(path.join(folder, 'index.html'), 'utf8');
  process.stderr.write(`The console: ${describeSizes(sizes, page)}\n`);
  return folder;
}

/** @param {string} outDir */
async function makePage(outDir) {
  const { build } = await import('vite');
  await mkdir(cache, { recursive: true });
  await build({
    configFile: path.join(root, 'web/vite.config.ts'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  });
}

/** @param {string} folder @returns {Promise<{name: string, gzip: number}[]>} */
async function compress(folder) {
  const sizes = [];
  for (const name of await listFiles(folder)) {
    const file = path.join(folder, name);
    const content = await readFile(file);
    const zipped = await promisify(gzip)(content, { level: 9 });
    sizes.push({ name, gzip: zipped.length });
    if (content.length < MIN_BYTES) continue;
    await writeFile(`${file}.gz`, zipped);
    const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
    await writeFile(`${file}.br`, await promisify(brotliCompress)(content, { params }));
  }
  return sizes;
}

/** @param {{name: string, gzip: number}[]} sizes @param {string} page the index: the first load is what it names */
function describeSizes(sizes, page) {
  const kib = (files) =>
    `${(files.reduce((sum, { gzip }) => sum + gzip, 0) / 1024).toFixed(1)} KiB`;
  const first = sizes.filter(({ name }) => name === 'index.html' || page.includes(name));
  return `${kib(first)} gzip for the first page, ${kib(sizes)} in all`;
}

async function sourceKey() {
  const hash = createHash('sha256');
  for (const place of sources) {
    for (const name of await listFiles(path.join(root, place))) {
      if (name.endsWith('.test.ts')) continue;
      hash.update(`${place}/${name}\0`).update(await readFile(path.join(root, place, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The files of a folder and its subfolders, sorted; a file by itself. */
async function listFiles(place) {
  const entries = await readdir(place, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (entries === undefined) return [''];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(place, path.join(entry.parentPath, entry.name)))
    .sort();
}

async function forgetOlder(...kept) {
  const keep = kept.map((name) => path.basename(name));
  for (const name of await readdir(cache)) {
    if (!name.startsWith('console-') || keep.includes(name)) continue;
    await rm(path.join(cache, name), { recursive: true, force: true });
  }
}
