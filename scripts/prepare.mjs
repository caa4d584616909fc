/**
 * Makes a fresh clone ready, with Node's own modules alone: installs what is missing, and with
 * `--build` builds what is missing or older than its source. Quick when there is nothing to do.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const at = (...parts) => path.join(root, ...parts);

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  stop(`Turnpike needs Node 20.19 or later; this is ${process.versions.node}.`);
}

if (newest([at('package-lock.json')]) > newest([at('node_modules/.package-lock.json')])) {
  // Not `npm ci`: it refuses a lock file that lacks other platforms' optional packages, which is
  // what npm writes where a registry does not have them. `--no-save` leaves the lock file alone.
  run('Installing packages', [
    'install',
    '--no-save',
    '--no-fund',
    '--no-audit',
    '--loglevel=error',
  ]);
}
if (
  process.argv.includes('--build') &&
  newest([at('src'), at('web'), at('scripts/build-server.mjs'), at('tsconfig.json')]) >
    newest([at('dist/main.js')])
) {
  run('Building', ['run', '--silent', 'build']);
}

/** When the newest of some files, or of the files below some folders, was changed; 0 for none. */
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

function run(what, npmArguments) {
  const startedAt = Date.now();
  process.stderr.write(`${what} …\n`);
  // npm names its own program, so that the one that called this is the one that is called.
  const npm = process.env.npm_execpath;
  const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const result = spawnSync(program, [...first, ...npmArguments], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: npm === undefined && process.platform === 'win32',
  });
  if (result.status !== 0) stop(`${what} failed (see above).`);
  process.stderr.write(`${what}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
