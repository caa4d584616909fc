import { cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../scripts/cluster/migrate.mjs';
import { startServices } from '../../scripts/services/start-services.mjs';
import { defineServer } from './define-server.mjs';
import { startProcess } from './start-process.mjs';

const shipped = fileURLToPath(new URL('../../instructions', import.meta.url));
const serveModel = fileURLToPath(new URL('./serve-model.mjs', import.meta.url));

/** The persona of every session, whose commands need no approval. */
export const PERSONA = 'CHAOS';

/** MiB of PostgreSQL's disk, and more for each minute: several times what a run stores. */
const DISK = { base: 256, eachMinute: 16 };

/** The prefix of all the servers' keys. */
export const REDIS_PREFIX = 'chaos';

/**
 * @typedef {object} Cluster
 * @property {import('./define-server.mjs').Server[]} apis
 * @property {import('./define-server.mjs').Server[]} workers
 * @property {import('../../scripts/services/run-service.mjs').Service} redis
 * @property {import('../../scripts/services/run-service.mjs').Service} postgres
 * @property {import('../../scripts/services/small-disk.mjs').SmallDisk | undefined} disk of PostgreSQL; undefined: `leftOut` says why
 * @property {ReadonlyMap<import('../types.js').FaultKind, string>} leftOut faults that cannot be done here, each with the reason
 * @property {string} redisUrl
 * @property {string} databaseUrl
 * @property {string} views the file of what requests to the model had, a line for each
 * @property {import('../types.js').Violation[]} troubles of the servers so far
 * @property {() => Promise<void>} stop SIGTERM to the servers first
 * @property {() => Promise<void>} kill
 */

/**
 * Starts Redis with its append-only file, PostgreSQL, the model and the servers, each as a process.
 *
 * @param {{ folder: string, minutes: number, apis: number, workers: number, leaseMs: number }} options
 * @param {Record<string, string>} more variables of all servers: those of the tool hook, and of issuers
 * @returns {Promise<Cluster>} rejects if a process does not start, with none left running
 */
export async function startCluster({ folder, minutes, apis, workers, leaseMs }, more) {
  /** @type {(() => Promise<unknown>)[]} */
  const undo = [];
  const stop = async () => {
    for (const one of undo.splice(0).reverse()) await one();
  };
  try {
    const diskBytes = Math.ceil(DISK.base + DISK.eachMinute * minutes) * 1024 ** 2;
    const services = await startServices({ durable: true, diskBytes });
    undo.push(services.stop);
    const { redis, postgres, disk, redisUrl, databaseUrl } = services;
    if (redis === undefined || postgres === undefined || disk === undefined) {
      throw new Error('Chaos needs a Redis and a PostgreSQL of its own to stop and start');
    }
    const logs = path.join(folder, 'logs');
    await mkdir(logs, { recursive: true });
    const logFile = path.join(logs, 'model.log');
    const views = path.join(folder, 'views.txt');
    await writeFile(views, '');
    const model = await startProcess({
      name: 'model',
      script: serveModel,
      environment: { CHAOS_VIEWS: views },
      logFile,
    });
    undo.push(() => model.stop('SIGKILL'));
    const environment = {
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
      ANTHROPIC_API_KEY: 'sk-ant-rehearsal',
      TURNPIKE_PROVIDER_BASE_URL: model.url,
      TURNPIKE_EGRESS_ALLOW: model.url,
      TURNPIKE_INSTRUCTION_ROOT: await writeInstructions(folder),
      TURNPIKE_REDIS_PREFIX: REDIS_PREFIX,
      TURNPIKE_LEASE_MS: String(leaseMs),
      // Workers die every few seconds: three deaths within a step are chance here.
      TURNPIKE_MAX_ATTEMPTS: '20',
      TURNPIKE_DRAIN_MS: '1000',
      TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
      TURNPIKE_TOOL_HOOK_PRIVATE_HOSTS: '127.0.0.1:*',
      // Every client has two files of its own.
      TURNPIKE_MEMORY_FILES: '1000',
      ...more,
    };
    await migrate(environment);
    /** @type {import('../types.js').Violation[]} */
    const troubles = [];
    /** @type {import('./define-server.mjs').OnTrouble} */
    const onTrouble = (kind, note) => void troubles.push({ kind, turnId: '', note });
    const define = (/** @type {'api' | 'worker'} */ role) => (/** @type {number} */ index) =>
      defineServer({ role, name: `${role}-${index}`, environment, logs, onTrouble });
    const servers = {
      apis: Array.from({ length: apis }, (_, index) => define('api')(index)),
      workers: Array.from({ length: workers }, (_, index) => define('worker')(index)),
    };
    const all = [...servers.apis, ...servers.workers];
    const running = () => all.filter((server) => server.pid() !== undefined);
    undo.push(() => Promise.all(all.map((server) => server.retire())));
    await Promise.all(all.map((server) => server.start()));
    return {
      ...servers,
      redis,
      postgres,
      disk: 'missing' in disk ? undefined : disk,
      leftOut: new Map('missing' in disk ? [['fill-postgres', disk.missing]] : []),
      redisUrl,
      databaseUrl,
      views,
      troubles,
      kill: stop,
      stop: async () => {
        await Promise.all(running().map((server) => server.stop()));
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param {string} folder */
async function writeInstructions(folder) {
  const root = path.join(folder, 'instructions');
  await cp(shipped, root, { recursive: true });
  const persona = ['---', 'auto_approve_tools: [bash]', '---', `You are ${PERSONA}.`].join('\n');
  await writeFile(path.join(root, 'agents', `AGENT_${PERSONA}.md`), persona);
  return root;
}
