import { TurnpikeClient, type ClientOptions } from '../../client/turnpike-client.js';
import { parseConfig } from '../../config/config.js';
import { confirm } from '../terminal/confirm.js';
import { locateServer, NoServerError, type ServerSearch } from './locate-server.js';

type Environment = Record<string, string | undefined>;

export interface FoundServer {
  url: string;
  /** `TURNPIKE_API_KEY`. */
  key: string | undefined;
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
  const given = environment['TURNPIKE_API_KEY'];
  const key = given === '' ? undefined : given;
  const search = await locateServer(environment, named);
  const { url, isByPort } = search;
  if (url !== undefined) {
    // A server that was found by its port has a different data folder: the user sees which one it is.
    if (isByPort) process.stderr.write(`server ${url}\n`);
    return { url, key, close: async () => undefined };
  }
  if (orElse === 'refuse') throw new NoServerError(search);
  if (orElse === 'offer' && !(await isAccepted(search))) throw new Error('No server was started.');
  return { key, ...(await startOwnServer(environment)) };
}

export function clientOf(
  { url, key }: Pick<FoundServer, 'url' | 'key'>,
  more: Pick<ClientOptions, 'onRetry'> = {},
): TurnpikeClient {
  return new TurnpikeClient({ url, key, ...more });
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

async function startOwnServer(environment: Environment): Promise<Omit<FoundServer, 'key'>> {
  const quiet = { TURNPIKE_LOG_LEVEL: 'warn', ...environment, TURNPIKE_PORT: '0' };
  const config = parseConfig(quiet);
  // Loaded when needed alone: the server's code takes a second to load.
  const [{ serve }, { openLog }] = await Promise.all([
    import('../../server/serve.js'),
    import('../../server/process-log.js'),
  ]);
  const logger = openLog(config, process.stderr.isTTY);
  const server = await serve({ config, environment, logger });
  return { url: server.url, close: () => server.close() };
}
