import { commandName } from '../../platform/process/command-name.js';
import path from 'node:path';
import * as z from 'zod/mini';
import { TurnpikeClient, type ClientOptions } from '../../client/turnpike-client.js';
import { parseConfig } from '../../config/config.js';
import { confirm } from '../terminal/terminal-input.js';
import { parseValue, show } from '../../platform/parsing/parse-value.js';
import { livingOwner } from '../../storage/folder/data-folder.js';
import { accessTo, keyOf, type ServerAccess } from '../login/server-access.js';
import { UsageError } from '../command.js';

type Environment = Record<string, string | undefined>;

export interface FoundServer extends ServerAccess {
  /** The command started it, and it ends with the command. */
  isOwn: boolean;
  close(): Promise<void>;
}

export interface FindOptions {
  /** The value of `--url`. */
  url?: string | undefined;
  /** The reaction to finding no server; `offer` asks at a terminal, and refuses elsewhere. */
  orElse: 'refuse' | 'offer' | 'start';
}

/**
 * The server for a command: the one that `locateServer` finds, or a new one on a free port for as long as
 * the command runs.
 *
 * @throws UsageError, ConfigError, DataFolderBusyError; NoServerError; Error where the user wants none started.
 */
export async function findServer(
  environment: Environment,
  { url: named, orElse }: FindOptions,
): Promise<FoundServer> {
  const search = await locateServer(environment, named);
  const { url, isByPort } = search;
  if (url !== undefined) {
    // A server that was found by its port has a different data folder: the user sees which one it is.
    if (isByPort) process.stderr.write(`server ${url}\n`);
    return { ...(await accessTo(environment, url)), isOwn: false, close: async () => undefined };
  }
  if (orElse === 'refuse') throw new NoServerError(search);
  if (orElse === 'offer' && !(await isAccepted(search))) throw new Error('No server was started.');
  const own = await startOwnServer(environment);
  return { ...own, isOwn: true, key: keyOf(environment) };
}

export function clientOf(
  { url, key, token }: ServerAccess,
  more: Pick<ClientOptions, 'onRetry'> = {},
): TurnpikeClient {
  return new TurnpikeClient({ url, key, token, ...more });
}

/** Asks the user. @throws NoServerError without a terminal. */
async function isAccepted(search: ServerSearch): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new NoServerError(search, ' With --start this command starts one for itself.');
  }
  return confirm(
    `No server was found: ${search.searched}.\nStart one until this command ends, with its data in ${search.dataDir}? [y/N] `,
  );
}

async function startOwnServer(
  environment: Environment,
): Promise<Pick<FoundServer, 'url' | 'close'>> {
  const quiet = { TURNPIKE_LOG_LEVEL: 'warn', ...environment, TURNPIKE_PORT: '0' };
  const config = parseConfig(quiet);
  // Loaded when needed alone: the server's code takes a second to load.
  const [{ serve }, { openLog }] = await Promise.all([
    import('../../app/serve.js'),
    import('../../app/process-log.js'),
  ]);
  const logger = openLog(config, process.stderr.isTTY);
  const server = await serve({ config, environment, logger });
  return { url: server.url, close: () => server.close() };
}

/** Milliseconds in which a server on the default port must answer. */
const PROBE_MS = 5_000;

interface ServerSearch {
  /** Undefined where no server was found. */
  url: string | undefined;
  /** The server was found by its port alone: it was not named and serves a different data folder. */
  isByPort: boolean;
  /** The data folder of a server that this command would start. Absolute. */
  dataDir: string;
  /** The places that were searched, in words. */
  searched: string;
}

/** No server was found, and none was started. The message, one line, says where and what to do. */
export class NoServerError extends Error {
  constructor({ searched }: Pick<ServerSearch, 'searched'>, advice = '') {
    super(
      `No server was found: ${searched}. Start one (npm start, or ${commandName()} serve), or name one with --url or TURNPIKE_URL.${advice}`,
    );
  }
}

/**
 * Finds a server, in this order: that of `--url`, that of `TURNPIKE_URL`, the one that serves the data
 * folder, the one on the port of `npm start`. Starts and creates nothing.
 *
 * @param named the value of `--url`.
 * @throws UsageError for a bad address; ConfigError.
 */
export async function locateServer(
  environment: Record<string, string | undefined>,
  named?: string,
): Promise<ServerSearch> {
  const { TURNPIKE_URL } = environment;
  const given =
    parseUrl('--url', named) ??
    parseUrl('TURNPIKE_URL', TURNPIKE_URL === '' ? undefined : TURNPIKE_URL);
  if (given !== undefined) return { url: given, isByPort: false, dataDir: '', searched: given };
  const config = parseConfig({ TURNPIKE_LOG_LEVEL: 'warn', ...environment });
  const dataDir = path.resolve(config.dataDir);
  const owner = await livingOwner(dataDir);
  const atPort = portUrl(config.port);
  const found = {
    dataDir,
    searched: [
      `none serves ${dataDir}`,
      ...(atPort === undefined ? [] : [`none is at ${atPort}`]),
    ].join(', and '),
  };
  if (owner?.url !== undefined) return { ...found, url: owner.url, isByPort: false };
  const isThere = atPort !== undefined && (await isTurnpike(atPort));
  return { ...found, url: isThere ? atPort : undefined, isByPort: isThere };
}

/** Parses an address; without a scheme, such as `localhost:4400`, it is http. */
function parseUrl(name: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (/^https?:/i.test(url) && URL.canParse(url)) return url.replace(/\/+$/, '');
  throw new UsageError(`${name} must be http://HOST:PORT or https://HOST, not ${show(text)}`);
}

/** Undefined for port 0, which means any free port. */
function portUrl(port: number): string | undefined {
  return port === 0 ? undefined : `http://127.0.0.1:${port}`;
}

const healthShape = z.object({
  status: z.enum(['healthy', 'unhealthy']),
  agent_ready: z.boolean(),
  uptime_seconds: z.number(),
});

/** Whether a Turnpike answers at the address, by the form of its health answer. */
async function isTurnpike(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS);
    const answer = await fetch(`${url}/health`, { signal, redirect: 'error' });
    return parseValue(healthShape, await answer.json()).faults === undefined;
  } catch {
    // No answer, or no JSON: not a Turnpike.
    return false;
  }
}
