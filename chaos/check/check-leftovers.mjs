/** @typedef {import('../types.js').Violation} Violation */

/**
 * The state after a run, once it is quiet.
 *
 * @typedef {object} Leftovers
 * @property {{ id: string, status: string, isLeased: boolean }[]} turns that have not ended, or have a lease
 * @property {{ key: string, ttlMs: number }[]} keys of Redis; -1: no time to live
 * @property {Connections} connections
 * @property {Connections} connectionsAtIdle
 * @property {string[]} processes of tools
 *
 * @typedef {{ postgres: number, redis: number }} Connections
 */

/** The queue's own keys. @param {string} prefix */
export const queueKeys = (prefix) => `{${prefix}}:turns:`;

/**
 * @param {Leftovers} left
 * @param {string} prefix first part of the server's keys
 * @returns {Violation[]}
 */
export function checkLeftovers(left, prefix) {
  return [
    ...left.turns.flatMap((turn) => checkRow(turn)),
    ...left.keys.flatMap((key) => checkKey(key, prefix)),
    ...checkConnections(left),
    ...left.processes.map((note) => ({
      kind: /** @type {const} */ ('leaked-process'),
      turnId: '',
      note,
    })),
  ];
}

/**
 * @param {Leftovers['turns'][number]} turn
 * @returns {Violation[]}
 */
function checkRow({ id, status, isLeased }) {
  const isActive = status === 'queued' || status === 'running';
  if (isActive) return [{ kind: 'active-left', turnId: id, note: status }];
  return isLeased ? [{ kind: 'leaked-lease', turnId: id, note: status }] : [];
}

/**
 * @param {Leftovers['keys'][number]} found
 * @param {string} prefix
 * @returns {Violation[]}
 */
function checkKey({ key, ttlMs }, prefix) {
  const own = queueKeys(prefix);
  const turnId = /turn_\w+/.exec(key)?.[0] ?? '';
  if (key.startsWith(own)) {
    return turnId === '' ? [] : [{ kind: 'leaked-job', turnId, note: key }];
  }
  return ttlMs === -1 ? [{ kind: 'leaked-key', turnId, note: key }] : [];
}

/**
 * @param {Leftovers} left
 * @returns {Violation[]}
 */
function checkConnections({ connections, connectionsAtIdle }) {
  return /** @type {const} */ (['postgres', 'redis']).flatMap((service) => {
    const [now, idle] = [connections[service], connectionsAtIdle[service]];
    if (now <= idle) return [];
    const note = `${service}: ${now}, at idle before the load ${idle}`;
    return [{ kind: /** @type {const} */ ('leaked-connection'), turnId: '', note }];
  });
}
