import { sleep } from '../load/world.mjs';
import {
  countConnections,
  findToolProcesses,
  listKeys,
  listUnended,
  residentMiB,
} from './list-leftovers.mjs';

/** @typedef {import('../check/check-leftovers.mjs').Connections} Connections */
/** @typedef {import('../check/check-leftovers.mjs').Leftovers} Leftovers */
/** @typedef {import('./list-leftovers.mjs').Inspected} Inspected */

/** Milliseconds between two polls. */
const LOOK_MS = 500;

/** Milliseconds within which servers release everything that is not needed. */
const QUIET_MS = 12_000;

/** Milliseconds after which a pool closes an idle connection, and some more. */
const POOL_MS = 75_000;

/** Idle connections to PostgreSQL that a server may keep for a minute. */
const POOL_SIZE = 16;

/**
 * Connections of an idle cluster: the most of several polls.
 *
 * @param {Inspected} inspected
 * @returns {Promise<Connections>}
 */
export async function measureIdle(inspected) {
  const looks = [];
  for (let look = 0; look < 5; look += 1) {
    looks.push(await countConnections(inspected));
    await sleep(LOOK_MS);
  }
  return {
    postgres: Math.max(...looks.map((look) => look.postgres)),
    redis: Math.max(...looks.map((look) => look.redis)),
  };
}

/**
 * Polls until nothing is left of the load, or until leftovers have had the time to go.
 *
 * @param {Inspected} inspected
 * @param {{ idle: Connections, projects: string, isLong: boolean, servers: number }} expected
 *   `isLong`: the run is long enough to wait for the pools too
 * @returns {Promise<Leftovers>}
 */
export async function waitForQuiet(inspected, { idle, projects, isLong, servers }) {
  const connectionsAtIdle = isLong ? idle : { ...idle, postgres: servers * POOL_SIZE };
  for (const until = Date.now() + (isLong ? POOL_MS : QUIET_MS); ;) {
    const left = {
      turns: await listUnended(inspected),
      keys: await listKeys(inspected.redis),
      connections: await countConnections(inspected),
      connectionsAtIdle,
      processes: await findToolProcesses(projects),
    };
    if (isQuiet(left) || Date.now() > until) return left;
    await sleep(LOOK_MS);
  }
}

/** @param {Leftovers} left */
function isQuiet({ turns, connections, connectionsAtIdle, processes, keys }) {
  return (
    turns.length === 0 &&
    processes.length === 0 &&
    connections.postgres <= connectionsAtIdle.postgres &&
    connections.redis <= connectionsAtIdle.redis &&
    !keys.some(({ key }) => key.startsWith('{') && key.includes('turn_'))
  );
}

/**
 * @param {readonly { pid: () => number | undefined }[]} servers
 * @returns {Promise<(number | undefined)[]>} MiB of each
 */
export function measureMemory(servers) {
  return Promise.all(servers.map((server) => residentMiB(server.pid())));
}
