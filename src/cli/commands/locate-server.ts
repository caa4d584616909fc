import path from 'node:path';
import { parseConfig } from '../../config/config.js';
import { isPlainObject } from '../../platform/json.js';
import { livingOwner } from '../../storage/data-folder.js';
import { UsageError } from './usage-error.js';

type Environment = Record<string, string | undefined>;

/** How long a server on the default port has to say that it is one, in ms. */
const PROBE_MS = 5_000;

export interface ServerSearch {
  /** Undefined: none was found. */
  url: string | undefined;
  /** Nobody named the server, and it has another data folder: it was found by its port. */
  isByPort: boolean;
  /** The data folder of a server that is started here. Absolute. */
  dataDir: string;
  /** Where one would have been found, in words. */
  looked: string;
}

/**
 * Looks for a server, in this order: the one that `--url` names, the one that `TURNPIKE_URL` names, the one
 * that serves the data folder, and one on the port that `npm start` uses. Starts and makes nothing.
 *
 * @param named the value of `--url`.
 * @throws UsageError for an address that is none; ConfigError.
 */
export async function locateServer(
  environment: Environment,
  named?: string,
): Promise<ServerSearch> {
  const { TURNPIKE_URL } = environment;
  const given =
    readUrl('--url', named) ??
    readUrl('TURNPIKE_URL', TURNPIKE_URL === '' ? undefined : TURNPIKE_URL);
  if (given !== undefined) return { url: given, isByPort: false, dataDir: '', looked: given };
  const config = parseConfig({ TURNPIKE_LOG_LEVEL: 'warn', ...environment });
  const dataDir = path.resolve(config.dataDir);
  const owner = await livingOwner(dataDir);
  const atPort = portUrl(config.port);
  const found = {
    dataDir,
    looked: [
      `none serves ${dataDir}`,
      ...(atPort === undefined ? [] : [`none is at ${atPort}`]),
    ].join(', and '),
  };
  if (owner?.url !== undefined) return { ...found, url: owner.url, isByPort: false };
  const isThere = atPort !== undefined && (await isTurnpike(atPort));
  return { ...found, url: isThere ? atPort : undefined, isByPort: isThere };
}

/** Without a scheme it is http: `localhost:4400` is what people write. */
function readUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new UsageError(
    `${name} is ${JSON.stringify(text)}; allowed: http://HOST:PORT or https://HOST`,
  );
}

/** Port 0 is a free one: nobody knows which. */
function portUrl(port: number): string | undefined {
  return port === 0 ? undefined : `http://127.0.0.1:${port}`;
}

/** Whether what answers at an address is a Turnpike: its health has a form of its own. */
async function isTurnpike(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const answer = await fetch(`${url}/health`, { signal, redirect: 'error' });
    const health: unknown = await answer.json();
    return (
      isPlainObject(health) &&
      (health['status'] === 'healthy' || health['status'] === 'unhealthy') &&
      typeof health['agent_ready'] === 'boolean' &&
      typeof health['uptime_seconds'] === 'number'
    );
  } catch {
    // Nothing answers, or something else does: both are no Turnpike.
    return false;
  }
}
