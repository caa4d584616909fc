import { sleep } from '../load/world.mjs';

/** @typedef {import('../types.js').Fault} Fault */

/**
 * @typedef {object} Victims
 * @property {import('../cluster/start-cluster.mjs').Cluster} cluster
 * @property {import('../types.js').World} world
 * @property {import('ioredis').Redis} redis
 * @property {import('bullmq').Queue} queue of the turns, as the servers have it
 * @property {AbortSignal} over aborts at the end of the run
 */

/**
 * Injects a fault and mends it.
 *
 * @param {Victims} victims
 * @param {Fault} fault
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
 * Enqueues running turns again: under their own job id, which the queue has, and under a new one.
 *
 * @param {Victims} victims
 */
async function duplicateJobs({ queue, world }) {
  const once = { removeOnComplete: true, removeOnFail: true };
  await queue.addBulk(
    [...world.active].flatMap((turnId) =>
      [turnId, `${turnId}-again`, `${turnId}-and-again`].map((jobId) => ({
        name: 'turn',
        data: { turnId },
        opts: { ...once, jobId },
      })),
    ),
  );
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
