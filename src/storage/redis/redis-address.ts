import { hostOf } from '../database-errors.js';

export interface RedisHost {
  host: string;
  port: number;
}

interface MultiHostUrl {
  hosts: readonly RedisHost[];
  username?: string;
  password?: string;
  isTls: boolean;
}

/** One server, a master that sentinels know by its name, or a cluster. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'sentinel'; master: string; database: number } & MultiHostUrl)
  | ({ kind: 'cluster' } & MultiHostUrl);

const severalForm =
  /^redis(s?)\+(sentinel|cluster):\/\/(?:([^@]*)@)?([^@/]+)(?:\/([^/]*))?(?:\/(\d+))?$/;
const hostForm = /^(?:\[([0-9a-f:]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;
const defaultPorts = { sentinel: 26_379, cluster: 6_379 };

/**
 * Parses `redis://…` and `rediss://…` (one server), `redis+sentinel://[user:password@]host:port,…/master[/database]`
 * and `redis+cluster://[user:password@]host:port,…`; with `rediss+` over TLS. Undefined when it is not valid.
 */
export function parseRedisUrl(url: string): RedisAddress | undefined {
  if (!/^rediss?\+/.test(url)) {
    return /^rediss?:\/\/[^/]/.test(url) ? { kind: 'server', url } : undefined;
  }
  const [, tls, kind, userInfo = '', list = '', path = '', database] = severalForm.exec(url) ?? [];
  if (kind !== 'sentinel' && kind !== 'cluster') return undefined;
  const hosts = list.split(',').map((entry) => parseHost(entry, defaultPorts[kind]));
  const [username, password] = userInfo.split(/:(.*)/s).map(decode);
  const several = {
    hosts: hosts.filter((host) => host !== undefined),
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    isTls: tls === 's',
  };
  if (several.hosts.length < hosts.length) return undefined;
  if (kind === 'cluster') return path === '' ? { kind, ...several } : undefined;
  if (path === '') return undefined;
  return { kind, master: decode(path), database: Number(database ?? 0), ...several };
}

export function usesTls(address: RedisAddress): boolean {
  return address.kind === 'server' ? address.url.startsWith('rediss:') : address.isTls;
}

/** The hosts of an address, without its secrets. */
export function hostsOf(address: RedisAddress): string {
  if (address.kind !== 'server') {
    return address.hosts.map(({ host, port }) => `${host}:${port}`).join(',');
  }
  return hostOf(address.url);
}

function parseHost(entry: string, defaultPort: number): RedisHost | undefined {
  const [whole, v6, name, port = defaultPort] = hostForm.exec(entry) ?? [];
  return whole === undefined ? undefined : { host: v6 ?? name ?? '', port: Number(port) };
}

/** The text itself where it is not percent-encoded: a password may have a `%`. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
