/** Finds the programs of the services, and installs them if it may. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const INSTALL_TIMEOUT_MS = 600_000;

/** Folders beside the PATH where distributions put the server's own programs. */
function postgresFolders() {
  const versions = '/usr/lib/postgresql';
  const debian = existsSync(versions)
    ? readdirSync(versions)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => path.join(versions, version, 'bin'))
    : [];
  return [
    ...debian,
    '/usr/pgsql/bin',
    '/opt/homebrew/bin',
    '/usr/local/bin',
    '/opt/homebrew/opt/postgresql/bin',
  ];
}

/** @param {string} name @param {string[]} folders @returns {string | undefined} */
export function findProgram(name, folders = []) {
  const onPath = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return [...onPath, ...folders]
    .map((folder) => path.join(folder, name))
    .find((file) => existsSync(file));
}

/** @returns {{redisServer: string, initdb: string, postgres: string} | undefined} */
function findAll() {
  const redisServer = findProgram('redis-server') ?? findProgram('valkey-server');
  // Both programs of one version: a data folder belongs to a version of the server.
  const initdb = findProgram('initdb', postgresFolders());
  const postgres = initdb === undefined ? undefined : path.join(path.dirname(initdb), 'postgres');
  if (redisServer === undefined || initdb === undefined || !existsSync(postgres)) return undefined;
  return { redisServer, initdb, postgres };
}

/**
 * @param {(line: string) => void} log
 * @throws {Error} that names the packages to install.
 */
export function findPrograms(log) {
  const found = findAll();
  if (found !== undefined) return found;
  let cause;
  try {
    installPackages(['redis-server', 'postgresql'], log);
  } catch (error) {
    cause = error;
  }
  const installed = findAll();
  if (installed !== undefined) return installed;
  throw new Error(
    'The tests need Redis and PostgreSQL. Install them (Debian: apt-get install redis-server postgresql; ' +
      'macOS: brew install redis postgresql), or set TEST_REDIS_URL and TEST_DATABASE_URL to servers they may use.' +
      (cause instanceof Error ? ` (${cause.message})` : ''),
    { cause },
  );
}

/**
 * Installs packages with apt, as root or with a sudo that needs no password.
 *
 * @param {string[]} names @param {(line: string) => void} log
 */
export function installPackages(names, log) {
  if (findProgram('apt-get') === undefined) return;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && spawnSync('sudo', ['-n', 'true']).status !== 0) return;
  const environment = 'DEBIAN_FRONTEND=noninteractive';
  const run = (...command) => {
    const [program, ...args] = [...(isRoot ? [] : ['sudo', '-n']), 'env', environment, ...command];
    execFileSync(program, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: INSTALL_TIMEOUT_MS,
    });
  };
  log(`Installing ${names.join(' and ')} with apt-get …`);
  run('apt-get', 'update', '-qq');
  run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names);
}
