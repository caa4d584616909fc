/**
 * Prepares a fresh clone, with Node's own modules alone, on Node 18 and later: brings a newer Node where this one
 * is too old, installs missing packages, and with `--build` builds what is missing or older than its source.
 * `--tests` also installs the packages of tests, checks and development, which then stay. Quick when there is
 * nothing to do.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bringNode, isTooOld, runNpm } from './bring-node.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => path.join(root, ...parts);

/** Milliseconds between two lines of progress. */
const TELL_MS = 10_000;

/** The Node that installs and builds; npm runs its scripts on the same one, from `node_modules/.bin`. */
let node = process.execPath;
if (isTooOld()) {
  try {
    node = await bringNode(root);
  } catch (error) {
    stop(error.message);
  }
}

const tools = Object.keys(readPackage('test').devDependencies);
const hasTools = tools.every(isInstalled);
const isOld = newest([at('package-lock.json')]) > newest([at('node_modules/.package-lock.json')]);
if (isOld || (process.argv.includes('--tests') && !hasTools)) {
  // Installed tools are kept up to date, or the next run of the tests would find old ones.
  await install({ withTools: process.argv.includes('--tests') || tools.some(isInstalled) });
}
// A server starts without the declarations of its client, which take the compiler's ten seconds.
const withTypes = process.argv.includes('--tests');
if (process.argv.includes('--build') && !isBuilt({ withTypes })) {
  process.stderr.write('Building the server, its console and an empty database: 10 to 20 s …\n');
  const options = withTypes ? [] : ['--', '--without-types'];
  await run('Building', ['run', '--silent', 'build', ...options]);
}

/** @param {{withTypes: boolean}} what */
function isBuilt({ withTypes }) {
  const sources = ['src', 'rehearsal', 'web', 'scripts/build-server.mjs', 'tsconfig.json'];
  if (newest(sources.map((name) => at(name))) > newest([at('dist/main.js')])) return false;
  const types = ['dist/client/turnpike-client.d.ts', 'dist/extend/tools/extensions/extend.d.ts'];
  return !withTypes || types.every((file) => existsSync(at(file)));
}

/** @param {{withTools: boolean}} what */
async function install({ withTools }) {
  process.stderr.write(
    withTools
      ? 'Installing what running, building and testing need: about 1,650 packages, 1.5 GB; a minute or two …\n'
      : 'Installing what running and building need: about 510 packages, 440 MB; 30 to 60 s …\n',
  );
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    process.stderr.write(`… still installing, after ${seconds} s\n`);
  }, TELL_MS);
  // Not `npm ci`: it refuses a lock file that lacks other platforms' optional packages, which is
  // what npm writes where a registry does not have them. `--no-save` leaves the lock file alone.
  await run('Installing', [
    'install',
    '--no-save',
    '--no-fund',
    '--no-audit',
    // No package needs its script; one of them reports installs to somebody.
    '--ignore-scripts',
    '--loglevel=error',
    // The peers are OCR's packages, which are in the lock file for the tests.
    ...(withTools ? ['--workspaces', '--include-workspace-root'] : ['--workspaces=false']),
    ...(withTools || isInstalled('tesseract.js') ? [] : ['--omit=peer']),
  ]);
  clearInterval(timer);
}

/** @returns {{devDependencies: Record<string, string>}} */
function readPackage(folder) {
  return JSON.parse(readFileSync(at(folder, 'package.json'), 'utf8'));
}

function isInstalled(name) {
  return existsSync(at('node_modules', name, 'package.json'));
}

/** The latest change of some files and folders, in milliseconds since the epoch; 0 for none. */
function newest(places) {
  return Math.max(0, ...places.filter((place) => existsSync(place)).map(changedAt));
}

function changedAt(place) {
  const found = statSync(place);
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(
    0,
    ...readdirSync(place)
      .filter((name) => !name.endsWith('.test.ts'))
      .map((name) => changedAt(path.join(place, name))),
  );
}

async function run(what, npmArguments) {
  const startedAt = Date.now();
  if ((await runNpm(npmArguments, root, node)) !== 0) stop(`${what} failed (see above).`);
  process.stderr.write(`${what} took ${((Date.now() - startedAt) / 1000).toFixed(1)} s.\n`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
