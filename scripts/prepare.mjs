/**
 * Prepares a fresh clone, with Node's own modules alone, on Node 18 and later: brings a newer Node where this one
 * is too old, installs missing packages, and with `--build` builds what is missing or older than its source, with
 * `--types` also the declarations of the package. `--tests` installs what `npm test` needs, too, `--all` what any
 * test, check or script needs; they stay. Quick when there is nothing to do.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode, isTooOld, linkNode, runNpm } from './bring-node.mjs';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => path.join(root, ...parts);

/** Milliseconds between two lines of progress. */
const TELL_MS = 10_000;

/** What is installed: each tier has the packages of those before it. */
const tiers = [
  { flag: undefined, needs: 'running and building', folder: '.' },
  { flag: '--tests', needs: 'running, building and `npm test`', folder: 'test' },
  { flag: '--all', needs: 'every test and check', folder: 'test/interop' },
];

/** The Node that builds; npm runs its scripts on it, from `node_modules/.bin`. */
let node = process.execPath;

const wanted = tiers.findLastIndex(({ flag }) => flag === undefined || process.argv.includes(flag));
const installed = tiers.findLastIndex(hasPackages);
const isOld = newest([at('package-lock.json')]) > newest([at('node_modules/.package-lock.json')]);
// What is installed is kept up to date, or the next run of the tests would find old packages.
const needed = Math.max(wanted, installed);
const isComplete = tiers.slice(0, needed + 1).every(hasPackages);
const tier = isOld || !isComplete ? needed : undefined;
try {
  // First: an older Node leaves out what is optional and needs a newer one, as the bundler's program.
  if (isTooOld()) node = await fetchNode(root);
  if (tier !== undefined) await install(tier);
  if (isTooOld()) linkNode(root, node);
} catch (error) {
  stop(error.message);
}
// A server starts without the declarations of its client, which take the compiler's ten seconds.
const withTypes = process.argv.includes('--types');
if (process.argv.includes('--build') && !isBuilt({ withTypes })) {
  process.stderr.write('Building the server, its console and an empty database …\n');
  const options = withTypes ? [] : ['--', '--without-types'];
  await run('Building', ['run', '--silent', 'build', ...options]);
}

/** @param {{withTypes: boolean}} what */
function isBuilt({ withTypes }) {
  const sources = ['src', 'rehearsal', 'web', 'scripts/build-server.mjs', 'tsconfig.json'];
  if (newest(sources.map((name) => at(name))) > newest([at('dist/main.js')])) return false;
  // A build that was stopped may have left a part: what comes last is looked for, too.
  const parts = ['empty-database.tar.gz', 'migrations', 'web/index.html'];
  if (!parts.every((part) => existsSync(at('dist', part)))) return false;
  const types = ['dist/client/turnpike-client.d.ts', 'dist/extend/tools/extensions/extend.d.ts'];
  return !withTypes || types.every((file) => existsSync(at(file)));
}

/** @param {number} tier an index of `tiers`. */
async function install(tier) {
  process.stderr.write(`Installing the packages that ${tiers[tier].needs} need …\n`);
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    process.stderr.write(`… still installing, after ${seconds} s\n`);
  }, TELL_MS);
  // By name: a path would be that of all workspaces below it. `.npmrc` turns workspaces off.
  const workspaces =
    tier === 0
      ? ['--workspaces=false']
      : ['--workspaces=true', '--include-workspace-root', ...names(tier)];
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
    ...workspaces,
    // Optional peers that a later tier has in the lock file would come with an earlier one: a compiler, OCR, the AI
    // SDK. Peers that are needed are dependencies here.
    ...(tier < tiers.length - 1 ? ['--legacy-peer-deps'] : []),
  ]);
  clearInterval(timer);
}

/** The options that name the workspaces of a tier; the last one has all. */
function names(tier) {
  if (tier === tiers.length - 1) return [];
  return tiers.slice(1, tier + 1).map(({ folder }) => `--workspace=${readPackage(folder).name}`);
}

/** Whether the packages that a tier names are there. */
function hasPackages({ folder }) {
  const { dependencies, devDependencies } = readPackage(folder);
  return Object.keys({ ...dependencies, ...devDependencies }).every(isInstalled);
}

/** @returns {{name: string, dependencies?: Record<string, string>, devDependencies: Record<string, string>}} */
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
