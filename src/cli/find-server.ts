import { TurnpikeClient, type ClientOptions } from '../client/turnpike-client.js';
import { readConfig } from '../config.js';
import { livingOwner } from '../storage/data-folder.js';

export interface FoundServer {
  url: string;
  /** `TURNPIKE_API_KEY`. */
  key: string | undefined;
  close(): Promise<void>;
}

/**
 * The server a command talks to: the one `TURNPIKE_URL` names, else the one that serves the data
 * folder, else one started here on a free port.
 *
 * @param which `running`: none is started.
 * @throws ConfigError, DataFolderBusyError; Error when none runs.
 */
export async function findServer(
  environment: Record<string, string | undefined>,
  which: 'any' | 'running' = 'any',
): Promise<FoundServer> {
  const named = environment['TURNPIKE_URL'];
  const given = environment['TURNPIKE_API_KEY'];
  const key = given === '' ? undefined : given;
  const close = async (): Promise<void> => undefined;
  if (named !== undefined && named !== '') return { url: named, key, close };
  const config = readConfig({ TURNPIKE_LOG_LEVEL: 'warn', ...environment, TURNPIKE_PORT: '0' });
  const owner = await livingOwner(config.dataDir);
  if (owner?.url !== undefined) return { url: owner.url, key, close };
  if (which === 'running') {
    throw new Error(
      'No server runs on this data folder. Start one (npm start), or name one with TURNPIKE_URL.',
    );
  }
  // Loaded only when needed: a server of one's own costs a second to load.
  const [{ openRuntime }, { serve }] = await Promise.all([
    import('../runtime.js'),
    import('../serve.js'),
  ]);
  const readableLogs = process.stderr.isTTY;
  const server = await serve(await openRuntime({ config, environment, readableLogs }));
  return { url: server.url, key, close: () => server.close() };
}

export function clientOf(
  { url, key }: Pick<FoundServer, 'url' | 'key'>,
  more: Pick<ClientOptions, 'onRetry'> = {},
): TurnpikeClient {
  return new TurnpikeClient({ url, key, ...more });
}
