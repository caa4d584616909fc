/**
 * The server and its command line: a few files in `dist`, with the packages they use inside. Loading
 * thousands of small modules is what most of a start was.
 */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const dist = path.join(root, 'dist');

/** What is run or imported by its path. */
const programs = {
  main: 'main.ts',
  cli: 'cli.ts',
  // A process of its own: see attachments/extract/process/extractor-process.ts.
  'run-extractor': 'attachments/extract/process/run-extractor.ts',
  // The bench and the chaos kit rehearse on it.
  'start-rehearsal': 'rehearsal/start-rehearsal.ts',
};

/**
 * These bring files that they look for beside their own code, or start processes of it. The metadata of
 * decorators is among them because inside a bundle it would come after the first class that needs it.
 */
const kept = [
  '@anthropic-ai/tokenizer',
  '@bull-board',
  '@electric-sql/pglite',
  '@napi-rs/canvas',
  'open',
  'pdfjs-dist',
  'pg',
  'pino',
  'pino-pretty',
  'reflect-metadata',
  'sharp',
  'swagger-ui-dist',
  'tesseract.js',
];

/** @returns {Promise<void>} */
export async function buildServer() {
  await rm(dist, { recursive: true, force: true });
  await write(at(programs), {
    external: (id) => kept.some((name) => id === name || id.startsWith(`${name}/`)),
    // All in one folder, so that paths beside the code are the same from each.
    chunkFileNames: '[name]-[hash].js',
  });
  await write(at({ 'client/turnpike-client': 'client/turnpike-client.ts' }), {
    external: ['eventsource-parser'],
  });
  // Of extensions: what they get from the server is handed to them when they are loaded.
  await write(at({ 'extend/extend': 'extend/extend.ts' }), { external: [] });
}

async function write(input, { external, ...output }) {
  const bundle = await rolldown({
    cwd: root,
    input,
    external,
    platform: 'node',
    tsconfig: path.join(root, 'tsconfig.json'),
    onLog: (level, log, handle) => {
      // Parts of Nest that are looked for, and are not used here.
      if (log.code === 'UNRESOLVED_IMPORT' && /'@(nestjs|fastify)\//.test(log.message)) return;
      handle(level === 'warn' ? 'error' : level, log);
    },
  });
  // Names of classes are those of schemas in the API's document.
  await bundle.write({
    dir: dist,
    format: 'esm',
    comments: false,
    keepNames: true,
    sourcemap: true,
    ...output,
  });
  await bundle.close();
}

function at(files) {
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, path.join(root, 'src', file)]),
  );
}
