/**
 * Starts a Redis and a PostgreSQL for tests, the bench and the chaos kit, with private ports on 127.0.0.1 and a
 * temporary folder. Uses Node's own modules alone: it runs before any build.
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cleanUpAtExit } from './clean-up-at-exit.mjs';
import { findPrograms } from './find-programs.mjs';
import { freePort } from './free-port.mjs';
import { memoryFolder } from './memory-folder.mjs';
import { defineService } from './run-service.mjs';
import { openSmallDisk } from './small-disk.mjs';
import { defineRedis } from './start-redis.mjs';

const INITDB_TIMEOUT_MS = 120_000;

/**
 * @typedef {object} Services
 * @property {string} redisUrl
 * @property {string} databaseUrl of an empty database.
 * @property {import('./run-service.mjs').Service | undefined} redis absent where it is somebody else's.
 * @property {import('./run-service.mjs').Service | undefined} postgres absent where it is somebody else's.
 * @property {import('./small-disk.mjs').SmallDisk | {missing: string} | undefined} disk of PostgreSQL, where it was asked for:
 *   or why there is none.
 * @property {() => Promise<void>} stop
 */

/**
 * Uses `TEST_REDIS_URL` and `TEST_DATABASE_URL` where they are set, and starts the missing services. These end
 * with this process, except after `kill -9`.
 *
 * @param {{durable?: boolean, own?: boolean, diskBytes?: number, log?: (line: string) => void}} [options] `durable`: files
 *   are synced and Redis has an append-only file, as in production; off, it is quicker. `own`: starts both in any case.
 *   `diskBytes`: PostgreSQL has a disk of this size of its own, if this process may mount one.
 * @returns {Promise<Services>}
 * @throws {Error} that names the packages to install.
 */
export async function startServices({
  durable = false,
  own = false,
  diskBytes,
  log = () => undefined,
} = {}) {
  const { TEST_REDIS_URL, TEST_DATABASE_URL } = own ? {} : process.env;
  if (TEST_REDIS_URL && TEST_DATABASE_URL) {
    return {
      redisUrl: TEST_REDIS_URL,
      databaseUrl: TEST_DATABASE_URL,
      redis: undefined,
      postgres: undefined,
      disk: undefined,
      stop: async () => undefined,
    };
  }
  const programs = findPrograms(log);
  const folder = await mkdtemp(
    path.join(durable ? tmpdir() : memoryFolder(), 'turnpike-services-'),
  );
  await chmod(folder, 0o755);
  // Retried: a killed process may still be writing.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  const forget = cleanUpAtExit(remove);
  const stops = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
    remove();
    forget();
  };
  try {
    const redis = TEST_REDIS_URL ? undefined : await startRedis({ folder, durable });
    if (redis) stops.push(() => redis.stop());
    const data = path.join(folder, 'postgres');
    // PostgreSQL refuses to run as root.
    const user = TEST_DATABASE_URL || process.getuid?.() !== 0 ? undefined : otherUser();
    const disk =
      TEST_DATABASE_URL || diskBytes === undefined
        ? undefined
        : await openDisk({ folder: data, bytes: diskBytes, user });
    if (disk && 'close' in disk) stops.push(disk.close);
    const postgres = TEST_DATABASE_URL
      ? undefined
      : await startPostgres({ programs, data, durable, user, disk });
    if (postgres) stops.push(() => postgres.stop());
    return {
      redisUrl: TEST_REDIS_URL || `redis://127.0.0.1:${redis?.port}`,
      databaseUrl: TEST_DATABASE_URL || `postgres://turnpike@127.0.0.1:${postgres?.port}/postgres`,
      redis,
      postgres,
      disk,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startRedis({ folder, durable }) {
  const appendonly = durable ? 'yes' : 'no';
  const service = await defineRedis({ folder, settings: { appendonly, appendfsync: 'everysec' } });
  await service.start();
  return service;
}

/**
 * Defines PgBouncer before a database: each transaction may be at another of two connections. The database has
 * the name `sessions` too, under which a client keeps its connection.
 *
 * @param {{folder: string, program: string, databaseUrl: string}} options
 * @returns {Promise<import('./run-service.mjs').Service>}
 */
export async function definePgBouncer({ folder, program, databaseUrl }) {
  const data = path.join(folder, 'pgbouncer');
  await mkdir(data);
  await chmod(folder, 0o755);
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  const port = await freePort();
  const { hostname, port: databasePort, username, pathname } = new URL(databaseUrl);
  const file = path.join(data, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `sessions = host=${hostname} port=${databasePort} user=${username} dbname=${pathname.slice(1)} pool_mode=session pool_size=20`,
    `* = host=${hostname} port=${databasePort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'max_client_conn = 200',
  ];
  await writeFile(file, `${lines.join('\n')}\n`);
  return defineService({
    name: 'pgbouncer',
    port,
    command: [program, file],
    cwd: data,
    ...(user === undefined ? {} : { user }),
    stopSignal: 'SIGINT',
    ready: /process up/,
  });
}

/** @returns {Promise<import('./small-disk.mjs').SmallDisk | {missing: string}>} */
async function openDisk(options) {
  await mkdir(options.folder);
  try {
    return await openSmallDisk(options);
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

async function startPostgres({ programs, data: folder, durable, user, disk }) {
  await mkdir(folder, { recursive: true });
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const isSmall = disk !== undefined && 'inside' in disk;
  // A disk of its own has the user already, and what fills it lies beside the data.
  const [data, inside, as] = isSmall
    ? [path.join(folder, 'data'), disk.inside, {}]
    : [folder, (command) => command, { ...user }];
  const [initdb, ...args] = inside(
    [programs.initdb, '-D', data, '-U', 'turnpike', '-A', 'trust', '-E', 'UTF8'].concat(
      '--locale=C',
      '--no-sync',
      // New segments are needed often: it is then that a full disk ends the server.
      isSmall ? ['--wal-segsize=1'] : [],
    ),
  );
  execFileSync(initdb, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    cwd: folder,
    timeout: INITDB_TIMEOUT_MS,
    ...as,
  });
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 400,
    ...(isSmall ? { min_wal_size: '2MB', max_wal_size: '64MB' } : {}),
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    // Databases of tests live for seconds: what it would do takes CPU, and changes plans in the middle of a test.
    ...(durable ? {} : { autovacuum: 'off' }),
  };
  const service = defineService({
    name: 'postgres',
    port,
    command: inside([
      programs.postgres,
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ]),
    cwd: folder,
    ...(as.uid === undefined ? {} : { user: as }),
    // SIGINT does not wait for connected clients.
    stopSignal: 'SIGINT',
  });
  await service.start();
  return service;
}

/** @returns {{uid: number, gid: number}} a user that is not root. */
function otherUser() {
  const id = (option, name) =>
    Number(execFileSync('id', [option, name], { stdio: ['ignore', 'pipe', 'ignore'] }));
  for (const name of ['postgres', 'nobody']) {
    try {
      return { uid: id('-u', name), gid: id('-g', name) };
    } catch (error) {
      // `id` fails where there is no such user.
      if (!(error instanceof Error && 'status' in error)) throw error;
    }
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody');
}
