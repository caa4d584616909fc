import { readdir, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';
import { query } from './load-rows.mjs';

/** @typedef {import('../check/check-leftovers.mjs').Connections} Connections */

/** The application name of the kit's own connections. */
export const OWN_NAME = 'chaos-kit';

/**
 * @typedef {object} Inspected
 * @property {import('pg').Pool} pool
 * @property {import('ioredis').Redis} redis
 * @property {number} giveUpAt
 */

/**
 * Connections of the servers.
 *
 * @param {Inspected} inspected
 * @returns {Promise<Connections>}
 */
export async function countConnections({ pool, redis, giveUpAt }) {
  const sql = `select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name <> $1`;
  const [row] = await query(pool, { sql, values: [OWN_NAME], giveUpAt });
  const clients = String(await redis.client('LIST')).split('\n');
  const others = clients.filter((line) => line !== '' && !line.includes(`name=${OWN_NAME}`));
  return { postgres: Number(row?.['count']), redis: others.length };
}

/**
 * Turns that have not ended, and ended turns that still have a lease.
 *
 * @param {Inspected} inspected
 */
export async function listUnended({ pool, giveUpAt }) {
  const sql = `select id, status, lease_until is not null as is_leased from turns
    where status in ('held', 'queued', 'running', 'waiting') or lease_until is not null`;
  const rows = await query(pool, { sql, giveUpAt });
  return rows.map((row) => ({
    id: String(row['id']),
    status: String(row['status']),
    isLeased: Boolean(row['is_leased']),
  }));
}

/**
 * Every key in Redis.
 *
 * @param {import('ioredis').Redis} redis
 * @returns {Promise<{ key: string, ttlMs: number }[]>}
 */
export async function listKeys(redis) {
  const found = [];
  for await (const keys of redis.scanStream({ count: 500 })) {
    for (const key of keys) found.push({ key, ttlMs: await redis.pttl(key) });
  }
  // The key expired between the scan and this call.
  return found.filter(({ ttlMs }) => ttlMs !== -2);
}

/**
 * Processes of tools: those that work in a project. None without `/proc`.
 *
 * @param {string} projects
 * @returns {Promise<string[]>}
 */
export async function findToolProcesses(projects) {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      // The process has exited meanwhile.
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => '');
      if (!folder.startsWith(projects + path.sep)) return [];
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      return [`${pid} in ${path.basename(folder)}: ${command.replaceAll('\0', ' ').slice(0, 120)}`];
    }),
  );
  return found.flat();
}

/**
 * Resident memory in MiB; undefined where there is no `/proc`.
 *
 * @param {number | undefined} pid
 */
export async function residentMiB(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /VmRSS:\s+(\d+) kB/.exec(status)?.[1];
  return kib === undefined ? undefined : Math.round(Number(kib) / 1024);
}
