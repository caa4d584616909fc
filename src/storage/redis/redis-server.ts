import { Cluster } from 'ioredis';
import type { RedisClient } from './redis-connection.js';

/** The oldest server that the queue's scripts are made for. */
const LEAST_VERSION = [6, 2] as const;

/** A server's facts, from its answer to `INFO`. */
export interface ServerInfo {
  version: string;
  /** The keys that it drops when its memory is full, as in `noeviction`. */
  evictionPolicy: string | undefined;
}

export function parseInfo(info: string): ServerInfo {
  const field = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1];
  return { version: field('redis_version') ?? '', evictionPolicy: field('maxmemory_policy') };
}

/** @throws Error where the server is too old. */
export function checkVersion({ version }: ServerInfo): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_VERSION;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new Error(`it is Redis ${version}, and Turnpike needs ${LEAST_VERSION.join('.')} or later`);
}

/** A sentence about a server that may drop keys; undefined for one that refuses writes instead. */
export function describeEviction({ evictionPolicy }: ServerInfo): string | undefined {
  if (evictionPolicy === undefined || evictionPolicy === 'noeviction') return undefined;
  return (
    `Redis may drop keys: its maxmemory-policy is ${evictionPolicy}. Turns whose events or tokens it drops go on ` +
    'from the database, later. Set maxmemory-policy to noeviction.'
  );
}

/** Asks the server, or each node of a cluster that takes writes. */
export function askServers(client: RedisClient): Promise<ServerInfo[]> {
  const servers = client instanceof Cluster ? client.nodes('master') : [client];
  return Promise.all(servers.map(async (server) => parseInfo(await server.info())));
}
