import { commandName } from '../../platform/process/command-name.js';
import { existsSync } from 'node:fs';
import { ConnectionLostError, TurnpikeError } from '../../client/turnpike-client.js';
import { TypedError } from '../../errors/typed-error.js';
import type { StoredData } from '../../app/open-stored-data.js';
import { explainFailure, exitCodeOf } from '../render/explain-failure.js';
import { NoServerError, locateServer, clientOf } from '../server/find-server.js';
import { explainStartFailure } from '../render/explain-start-failure.js';
import { LoginError } from '../login/login-error.js';
import { accessTo, type ServerAccess } from '../login/server-access.js';
import { UsageError, type Cli } from '../command.js';
import { type Config, parseConfig } from '../../config/config.js';

type Environment = Cli['environment'];

/**
 * Runs a command on what is stored, and says why it failed.
 *
 * @param options `mayCreate`: whether a missing data folder is created. Default: false.
 * @param run it returns the exit code of the command.
 */
export async function runOnData(
  cli: Cli,
  { url, mayCreate = false }: { url: string | undefined; mayCreate?: boolean },
  run: (data: StoredData) => Promise<number>,
): Promise<void> {
  const { environment } = cli;
  let data: StoredData | undefined;
  try {
    data = await openData(environment, { url, mayCreate });
    cli.exitCode = await run(data);
  } catch (error) {
    const isOpen = data !== undefined;
    cli.err(`${isOpen ? explain(error) : explainOpening(error, environment)}\n`);
    cli.exitCode = exitCodeOf(error);
  } finally {
    await data?.close();
  }
}

/** The reason why the store could not be opened, which is where a server would have it. */
function explainOpening(error: unknown, environment: Environment): string {
  const expected = [TurnpikeError, ConnectionLostError, NoServerError, LoginError, UsageError];
  if (expected.some((type) => error instanceof type)) return explain(error);
  return explainStartFailure(error, environment);
}

function explain(error: unknown): string {
  if (error instanceof TurnpikeError && [401, 403].includes(error.status)) {
    return `${explainFailure(error)}\nThe server that runs has its store for itself: log in as somebody with the scope admin (${commandName()} login), set TURNPIKE_API_KEY to a key that has it, or stop the server and call this again.`;
  }
  if (error instanceof TypedError) return `${error.type}: ${error.message}`;
  return explainFailure(error);
}

/** The actor in the audit log. */
const AUDIT_ACTOR = { id: 'command-line' };

/**
 * Opens what is stored, where `locateStore` finds it: a server does its part itself, since an embedded database
 * has one owner and a server may be on another machine.
 *
 * @param mayCreate whether a missing data folder is created.
 * @throws UsageError, ConfigError, NoServerError; what a server's start throws.
 */
async function openData(
  environment: Environment,
  { url, mayCreate }: { url: string | undefined; mayCreate: boolean },
): Promise<StoredData> {
  const found = await locateStore(environment, { url, mayCreate });
  return found.type === 'server' ? atServer(found) : inStore(found.config, environment);
}

function atServer(server: ServerAccess): StoredData {
  const { data } = clientOf(server);
  return {
    export: (selection) => data.export(selection),
    import: (bytes, options) => data.import(ReadableStream.from(bytes), options),
    count: (principal) => data.count(principal),
    forget: (principal, options) => data.forget(principal, options),
    endAccess: (principal) => data.endAccess(principal),
    close: async () => undefined,
  };
}

async function inStore(config: Config, environment: Environment): Promise<StoredData> {
  // Loaded when needed alone: the server's code takes a second to load.
  const { openStoredData } = await import('../../app/open-stored-data.js');
  return openStoredData({ config, environment, by: AUDIT_ACTOR });
}

/** A server to ask, or a store that no server has for itself. */
export type StoreLocation = ({ type: 'server' } & ServerAccess) | { type: 'store'; config: Config };

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
  environment: Environment,
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
    return { type: 'server', ...(await accessTo(environment, search.url)) };
  }
  if (!hasFolder && !mayCreate) throw new NoServerError(search);
  return { type: 'store', config };
}
