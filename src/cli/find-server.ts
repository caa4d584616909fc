import { readConfig } from '../config.js';
import { livingOwner } from '../storage/data-folder.js';

export interface FoundServer {
  url: string;
  close(): Promise<void>;
}

/**
 * The server a command talks to: the one `TURNPIKE_URL` names, else the one that serves the data
 * folder, else one started here on a free port.
 *
 * @throws ConfigError, DataFolderBusyError.
 */
export async function findServer(
  environment: Record<string, string | undefined>,
): Promise<FoundServer> {
  const named = environment['TURNPIKE_URL'];
  if (named !== undefined && named !== '') {
    return { url: named.replace(/\/+$/, ''), close: async () => undefined };
  }
  const config = readConfig({ TURNPIKE_LOG_LEVEL: 'warn', ...environment, TURNPIKE_PORT: '0' });
  const owner = await livingOwner(config.dataDir);
  if (owner?.url !== undefined) return { url: owner.url, close: async () => undefined };
  // Loaded only when needed: a server of one's own costs a second to load.
  const [{ openRuntime }, { serve }] = await Promise.all([
    import('../runtime.js'),
    import('../serve.js'),
  ]);
  const readableLogs = process.stderr.isTTY;
  return serve(await openRuntime({ config, environment, readableLogs }));
}
