import { TurnpikeClient, type ClientOptions } from '../../client/turnpike-client.js';
import { parseConfig } from '../../config/config.js';
import { confirm } from '../terminal/confirm.js';
import { locateServer, type ServerSearch } from './locate-server.js';
import { NoServerError } from './no-server-error.js';

type Environment = Record<string, string | undefined>;

export interface FoundServer {
  url: string;
  /** `TURNPIKE_API_KEY`. */
  key: string | undefined;
  close(): Promise<void>;
}

export interface ServerWish {
  /** The value of `--url`. */
  url?: string | undefined;
  /** What becomes of a command that finds no server: at a terminal `offer` asks whether to start one. */
  orElse: 'refuse' | 'offer' | 'start';
}

/**
 * The server a command talks to: the one that `locateServer` finds, or one started here on a free port,
 * for as long as the command runs.
 *
 * @throws UsageError, ConfigError, DataFolderBusyError; NoServerError; Error where one was not wanted.
 */
export async function findServer(
  environment: Environment,
  { url: named, orElse }: ServerWish,
): Promise<FoundServer> {
  const given = environment['TURNPIKE_API_KEY'];
  const key = given === '' ? undefined : given;
  const search = await locateServer(environment, named);
  const { url, isByPort } = search;
  if (url !== undefined) {
    // Whoever called elsewhere than in its folder did not name this one.
    if (isByPort) process.stderr.write(`server ${url}\n`);
    return { url, key, close: async () => undefined };
  }
  if (orElse === 'refuse') throw new NoServerError(search);
  if (orElse === 'offer' && !(await isAccepted(search))) throw new Error('None was started.');
  return { key, ...(await startServer(environment)) };
}

export function clientOf(
  { url, key }: Pick<FoundServer, 'url' | 'key'>,
  more: Pick<ClientOptions, 'onRetry'> = {},
): TurnpikeClient {
  return new TurnpikeClient({ url, key, ...more });
}

/** @throws NoServerError where nobody can be asked. */
async function isAccepted(search: ServerSearch): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new NoServerError(search, ' With --start this command starts one for itself.');
  }
  return confirm(
    `No server was found: ${search.looked}.\nStart one until this command ends, with its data in ${search.dataDir}? [y/N] `,
  );
}

async function startServer(environment: Environment): Promise<Omit<FoundServer, 'key'>> {
  const quiet = { TURNPIKE_LOG_LEVEL: 'warn', ...environment, TURNPIKE_PORT: '0' };
  const config = parseConfig(quiet);
  // Loaded only when needed: a server of one's own costs a second to load.
  const [{ serve }, { openLog }] = await Promise.all([
    import('../../http/serve.js'),
    import('../../http/process-log.js'),
  ]);
  const logger = openLog(config, process.stderr.isTTY);
  const server = await serve({ config, environment, logger });
  return { url: server.url, close: () => server.close() };
}
