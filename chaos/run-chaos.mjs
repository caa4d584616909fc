import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { startIssuers } from './access/start-issuers.mjs';
import { REDIS_PREFIX, startCluster } from './cluster/start-cluster.mjs';
import { OWN_NAME } from './inspect/list-leftovers.mjs';
import { startHook } from './load/start-hook.mjs';
import { startReceiver } from './load/start-receiver.mjs';
import { storm } from './storm.mjs';

/**
 * @typedef {object} ChaosOptions
 * @property {number} minutes of load and faults; starting and checking come on top
 * @property {number} seed decides faults and load
 * @property {number} turnsAtOnce
 * @property {number} apis
 * @property {number} workers
 * @property {number} leaseMs
 * @property {boolean} [auth] clients have tokens
 * @property {string} folder of the run: logs, projects
 * @property {(line: string) => void} log
 */

/**
 * Runs a cluster under load and faults, and returns every violation.
 *
 * @param {ChaosOptions} options
 * @param {AbortSignal} signal ends the run early
 * @returns {Promise<import('./storm.mjs').ChaosResult>} No process is left running, even after an error.
 */
export async function runChaos(options, signal) {
  const projects = path.join(options.folder, 'projects');
  await mkdir(projects, { recursive: true });
  const hook = await startHook();
  const issuers = options.auth === true ? await startIssuers(options.folder) : undefined;
  const closeAll = async () => {
    await issuers?.close();
    await hook.close();
  };
  const environment = {
    ...hook.environment,
    // People may work in folders of their own, and in those that the operator opens.
    ...(issuers && { ...issuers.environment, TURNPIKE_PROJECT_ROOTS: projects }),
  };
  const cluster = await startCluster(options, environment).catch(async (error) => {
    await closeAll();
    throw error;
  });
  const over = new AbortController();
  const tools = openTools(cluster);
  const receiver = await startReceiver();
  try {
    options.log('The cluster is up.');
    const run = storm({
      cluster,
      ...tools,
      receiver,
      hook,
      issuers,
      projects,
      options,
      over: over.signal,
    });
    const result = await Promise.race([run, untilAborted(signal)]);
    over.abort();
    await cluster.stop();
    return { ...result, violations: [...result.violations, ...cluster.troubles] };
  } finally {
    over.abort();
    await cluster.kill();
    await receiver.close();
    await closeAll();
    tools.redis.disconnect();
    await tools.pool.end();
  }
}

/**
 * The kit's own connections to Redis, the queue and the database.
 *
 * @param {{ redisUrl: string, databaseUrl: string }} urls
 */
function openTools({ redisUrl, databaseUrl }) {
  const redis = new Redis(redisUrl, { connectionName: OWN_NAME, maxRetriesPerRequest: null });
  const pool = new Pool({
    connectionString: databaseUrl,
    application_name: OWN_NAME,
    max: 4,
    connectionTimeoutMillis: 5_000,
  });
  const queue = new Queue('turns', { connection: redis, prefix: `{${REDIS_PREFIX}}` });
  // Outages are planned: callers wait or retry.
  const ignore = () => undefined;
  redis.on('error', ignore);
  pool.on('error', ignore);
  queue.on('error', ignore);
  return { redis, pool, queue };
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
function untilAborted(signal) {
  return new Promise((_resolve, reject) => {
    // Also covers an abort while the cluster starts.
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
