import { sleep } from '../load/world.mjs';

/** @typedef {import('../types.js').Fault} Fault */

/**
 * @typedef {object} Victims
 * @property {import('../cluster/start-cluster.mjs').Cluster} cluster
 * @property {import('../types.js').World} world
 * @property {import('ioredis').Redis} redis
 * @property {import('pg').Pool} pool
 * @property {import('bullmq').Queue} queue of the turns, as the servers have it
 * @property {AbortSignal} over aborts at the end of the run
 */

/**
 * Injects a fault and mends it.
 *
 * @param {Victims} victims
 * @param {Fault} fault
 * @returns {Promise<string | void>} what else there is to say of it
 */
export async function injectFault(victims, { kind, target, lastsMs }) {
  const { cluster, world, redis, over } = victims;
  const startLater = async (/** @type {() => Promise<void>} */ start) => {
    await sleep(lastsMs);
    if (!over.aborted) await start();
  };
  switch (kind) {
    case 'kill-worker':
    case 'kill-api': {
      const server = victimOf(cluster, kind, target);
      await server.kill();
      return startLater(server.start);
    }
    case 'drain-worker':
    case 'drain-api': {
      const server = victimOf(cluster, kind, target);
      await server.stop();
      return startLater(server.start);
    }
    case 'freeze-worker': {
      const server = victimOf(cluster, kind, target);
      server.signal('SIGSTOP');
      await sleep(lastsMs);
      return server.signal('SIGCONT');
    }
    case 'kill-redis':
      await cluster.redis.stop('SIGKILL');
      return startLater(cluster.redis.start);
    case 'restart-postgres':
      await cluster.postgres.stop();
      return startLater(cluster.postgres.start);
    case 'flush-redis':
      await redis.flushall();
      return;
    case 'fill-redis':
      // It has more than a byte already: from now on it answers each write with OOM.
      await redis.config('SET', 'maxmemory', '1');
      await sleep(lastsMs);
      await redis.config('SET', 'maxmemory', '0');
      return;
    case 'lock-postgres':
      await makeReadOnly(victims.pool, true);
      await sleep(lastsMs);
      return makeReadOnly(victims.pool, false);
    case 'fill-postgres':
      return fillPostgres(victims, lastsMs);
    case 'drop-connections':
      for (const stream of world.streams) stream.cut();
      return;
    case 'duplicate-jobs':
      return duplicateJobs(victims);
    default:
      throw new Error(`Unknown kind of fault: ${String(kind)}`);
  }
}

/**
 * Has every transaction that begins from now on take no write, as on a standby, or take them again.
 *
 * @param {import('pg').Pool} pool
 * @param {boolean} isReadOnly
 */
async function makeReadOnly(pool, isReadOnly) {
  await pool.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
  await pool.query('select pg_reload_conf()');
}

/** Milliseconds from which on a full disk also ends PostgreSQL. */
const LOG_FROM_MS = 2_000;

/**
 * Fills the disk of PostgreSQL. Statements that need room fail. Where it lasts longer, its log is written until it needs
 * a new segment: it ends itself, and cannot recover while there is no room.
 *
 * @param {Victims} victims
 * @param {number} lastsMs
 */
async function fillPostgres({ cluster, pool, over }, lastsMs) {
  const { disk, postgres } = cluster;
  if (disk === undefined) throw new Error('The run has no disk to fill, and planned to');
  await disk.fill();
  const until = Date.now() + lastsMs;
  if (lastsMs >= LOG_FROM_MS) await writeLog(pool, until);
  await sleep(until - Date.now());
  await disk.free();
  if (postgres.isUp() || over.aborted) return undefined;
  await postgres.start();
  return 'PostgreSQL had ended itself';
}

/**
 * @param {import('pg').Pool} pool
 * @param {number} until
 */
async function writeLog(pool, until) {
  const write = `select pg_logical_emit_message(false, 'chaos', repeat('x', 250000))`;
  try {
    while (Date.now() < until) await pool.query(write);
  } catch (error) {
    // The connection ends with the server, or there is none any more.
    if (!(error instanceof Error)) throw error;
  }
}

/**
 * Enqueues running turns again: under their own job id, which the queue has, and under a new one.
 *
 * @param {Victims} victims
 */
async function duplicateJobs({ queue, world }) {
  const once = { removeOnComplete: true, removeOnFail: true };
  const jobs = queue.addBulk(
    [...world.active].flatMap((turnId) =>
      [turnId, `${turnId}-again`, `${turnId}-and-again`].map((jobId) => ({
        name: 'turn',
        data: { turnId },
        opts: { ...once, jobId },
      })),
    ),
  );
  try {
    await jobs;
  } catch (error) {
    // The fault that fills Redis is on: nobody can add a job.
    if (!(error instanceof Error) || !error.message.startsWith('OOM ')) throw error;
  }
}

/**
 * @param {import('../cluster/start-cluster.mjs').Cluster} cluster
 * @param {Fault['kind']} kind
 * @param {number} target
 */
function victimOf({ apis, workers }, kind, target) {
  const server = (kind.endsWith('-api') ? apis : workers)[target];
  if (server === undefined) throw new Error(`There is no target ${target} for ${kind}`);
  return server;
}
