/**
 * Bundles the server and its command line into a few files of a folder, `dist` in the end, with the packages they use: without
 * this, a start spends most of its time loading thousands of small modules.
 */
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { listLicenses } from './list-licenses.mjs';
import { external } from './published-manifest.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const packageFolder = (name) => path.join(root, 'node_modules', name);

/** The entry points: files that are run or imported by their path. */
const programs = {
  main: 'src/main.ts',
  cli: 'src/cli.ts',
  // `turnpike/server`, inside of a process of somebody else.
  server: 'src/embed/create-turnpike.ts',
  // Runs as a separate process: see attachments/extract/process/extractor-process.ts.
  'run-extractor': 'src/attachments/extract/process/run-extractor.ts',
  // A thread: see storage/engine/engine-thread.ts.
  'run-engine': 'src/storage/engine/run-engine.ts',
  // A thread: see tools/output/check-lane.ts.
  'run-checks': 'src/tools/output/run-checks.ts',
  // The bench and the chaos kit use it as their model.
  'start-rehearsal': 'rehearsal/start-rehearsal.ts',
};

/** The packages that are not in the bundle: the optional ones, too. */
const { peerDependencies } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const bundled = ['ai', '@nestjs/common', '@nestjs/core'];
const kept = [
  ...external,
  ...Object.keys(peerDependencies).filter((name) => !bundled.includes(name)),
];

/** Pages of packages that are in the bundle, which are served from files: folders of `dist` → what is copied. */
const pages = {
  'swagger-ui': {
    name: 'swagger-ui-dist',
    files: [
      'LICENSE',
      'NOTICE',
      'favicon-16x16.png',
      'favicon-32x32.png',
      'swagger-ui-bundle.js',
      'swagger-ui-bundle.js.LICENSE.txt',
      'swagger-ui-standalone-preset.js',
      'swagger-ui-standalone-preset.js.LICENSE.txt',
      'swagger-ui.css',
    ],
  },
};

/**
 * @param {string} dist the new folder.
 * @returns {Promise<void>}
 */
export async function buildServer(dist) {
  await write(dist, at(programs), {
    external: (id) => kept.some((name) => id === name || id.startsWith(`${name}/`)),
    // One folder for all, so that paths relative to the code are the same in each.
    chunkFileNames: '[name]-[hash].js',
    plugins: [
      listLicenses(
        'third-party-licenses.txt',
        Object.values(pages).map(({ name }) => packageFolder(name)),
      ),
    ],
  });
  await copyPages(dist);
  const client = {
    'client/turnpike-client': 'src/client/turnpike-client.ts',
    'client/chat-transport': 'src/client/chat-transport.ts',
    'client/react': 'src/client/react/use-turnpike-chat.ts',
  };
  await write(dist, at(client), {
    // A page loads them as they are, without a bundler, but for the hook, whose React is the page's own.
    external: ['react'],
    // What both have, errors among it, is one file for a page that uses both.
    chunkFileNames: 'client/[name]-[hash].js',
  });
  // The host's own Nest: a second copy would find none of its providers.
  await write(dist, at({ nest: 'src/embed/nest/turnpike-module.ts' }), {
    external: ['@nestjs/common', '@nestjs/core', './server.js'],
    plugins: [{ name: 'the-built-server', resolveId: serverIsBuilt }],
  });
  // A client that `turnpike/client` made is one of its own: both have one copy of it.
  await write(dist, at({ 'agent-sdk': 'src/agent-sdk/connect.ts' }), {
    external: ['./client/turnpike-client.js'],
    plugins: [{ name: 'the-built-client', resolveId: clientIsBuilt }],
  });
  // Extensions get the server's functions as an argument when they are loaded.
  const forAuthors = { extend: 'tools/extensions/extend', 'define-agent': 'agents/define-agent' };
  for (const [name, file] of Object.entries(forAuthors)) {
    await write(dist, at({ [`extend/${name}`]: `src/${file}.ts` }), { external: [] });
  }
}

/** The server's own file is a bundle by itself already. */
function serverIsBuilt(id) {
  return id === '../create-turnpike.js' ? { id: './server.js', external: true } : null;
}

/** The client's own file is a bundle by itself already. */
function clientIsBuilt(id) {
  return id === '../client/turnpike-client.js'
    ? { id: './client/turnpike-client.js', external: true }
    : null;
}

async function copyPages(dist) {
  for (const [folder, { name, files }] of Object.entries(pages)) {
    for (const file of files) {
      await cp(path.join(packageFolder(name), file), path.join(dist, folder, file), {
        recursive: true,
      });
    }
  }
}

async function write(dist, input, { external, plugins = [], ...output }) {
  const bundle = await rolldown({
    cwd: root,
    input,
    external,
    plugins,
    platform: 'node',
    tsconfig: path.join(root, 'tsconfig.json'),
    // On a slow machine the build is slow: that is no fault of it.
    checks: { bundlerTimings: false },
    onLog: (level, log, handle) => {
      // Optional parts of Nest, which are not used here.
      if (log.code === 'UNRESOLVED_IMPORT' && /'@(nestjs|fastify)\//.test(log.message)) return;
      handle(level === 'warn' ? 'error' : level, log);
    },
  });
  // The API's document names schemas by their classes.
  const { output: files } = await bundle.write({
    dir: dist,
    format: 'esm',
    comments: false,
    keepNames: true,
    sourcemap: true,
    ...output,
  });
  await bundle.close();
  const chunks = files.filter(({ type }) => type === 'chunk');
  await Promise.all(
    chunks.map(({ fileName, code }) => escapeFile(path.join(dist, fileName), code)),
  );
}

/**
 * Escapes what is beyond ASCII. The engine keeps a source for as long as the program runs, at two bytes a
 * character where one of them is beyond Latin-1. Tables of characters stay, as escapes would be longer still.
 * Lines stay too; columns of the source map are off behind an escape.
 */
async function escapeFile(file, code) {
  const escaped = code.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  if (escaped.length < 2 * code.length) await writeFile(file, escaped);
}

function at(files) {
  return Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, path.join(root, file)]),
  );
}
