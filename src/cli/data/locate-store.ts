import { existsSync } from 'node:fs';
import { parseConfig, type Config } from '../../config/config.js';
import { locateServer, NoServerError } from '../server/locate-server.js';

/** A server to ask, or a store that no server has for itself. */
export type StoreLocation =
  | { type: 'server'; url: string; key: string | undefined }
  | { type: 'store'; config: Config };

export interface StoreSearch {
  /** The value of `--url`. */
  url?: string | undefined;
  /** Whether a data folder that is missing is created. */
  mayCreate: boolean;
  /** Whether the command needs Redis beside a database on a server. Default: true. */
  needsRedis?: boolean;
}

/**
 * Locates the store for a command of operators, the first of these: the server that `--url` or `TURNPIKE_URL`
 * names; the database of `DATABASE_URL`; the server that serves the data folder, since an embedded database has
 * one owner; where there is no data folder and none was named, the server on the port of `npm start`; the data
 * folder itself.
 *
 * @throws UsageError, ConfigError; NoServerError where there is neither server nor folder.
 */
export async function locateStore(
  environment: Record<string, string | undefined>,
  { url, mayCreate, needsRedis = true }: StoreSearch,
): Promise<StoreLocation> {
  const config = parseConfig(environment, { needsRedis });
  const isNamed = url !== undefined || (environment['TURNPIKE_URL'] ?? '') !== '';
  if (!isNamed && config.databaseUrl !== undefined) return { type: 'store', config };
  const search = await locateServer(environment, url);
  const { isByPort } = search;
  const hasFolder = isNamed || existsSync(config.dataDir);
  // A folder that was named, or exists, has its own rows: not those of a server with a different folder.
  const isOtherFolder = isByPort && (hasFolder || (environment['TURNPIKE_DATA_DIR'] ?? '') !== '');
  if (search.url !== undefined && !isOtherFolder) {
    if (isByPort) process.stderr.write(`server ${search.url}\n`);
    return { type: 'server', url: search.url, key: config.clientKey };
  }
  if (!hasFolder && !mayCreate) throw new NoServerError(search);
  return { type: 'store', config };
}
