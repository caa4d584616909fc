import { existsSync } from 'node:fs';
import { AuditLog } from '../../access/keys/audit-log.js';
import { KeyService, type CreatedKey } from '../../access/keys/key-service.js';
import { hideKeys } from '../../access/keys/key-secret.js';
import { KeyStore } from '../../access/keys/key-store.js';
import { KnownKeys } from '../../access/keys/known-keys.js';
import { readNewKey } from '../../access/keys/read-new-key.js';
import type { KeyView } from '../../access/keys/view-key.js';
import { TurnpikeError } from '../../client/turnpike-client.js';
import { parseConfig, type Config } from '../../config/config.js';
import { systemClock } from '../../platform/clock.js';
import { createLogger } from '../../platform/logger.js';
import { ResourceStack } from '../../platform/resource-stack.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { holdDataFolder } from '../../storage/data-folder.js';
import { openEmbeddedDatabase } from '../../storage/embedded-database.js';
import { openPostgres } from '../../storage/postgres-database.js';
import { UnreachableError } from '../../storage/unreachable-error.js';
import { clientOf } from './find-server.js';
import { locateServer } from './locate-server.js';
import { NoServerError } from './no-server-error.js';

/** Who the audit log says it was. */
const COMMAND_LINE = 'command-line';

export interface KeyPlace {
  /** The value of `--url`. */
  url?: string | undefined;
  /** A key is to be made, and not only looked for. */
  isNew: boolean;
}

export interface KeyAdmin {
  /** @param body as the route takes it. */
  create(body: Record<string, unknown>): Promise<CreatedKey>;
  list(): Promise<KeyView[]>;
  revoke(id: string): Promise<KeyView>;
  close(): Promise<void>;
}

/**
 * Where keys are managed: at the server `TURNPIKE_URL` names; in the database of `DATABASE_URL`; at
 * the server that holds the data folder, since an embedded database has one owner; in the data folder
 * itself while nobody serves it; or, where there is no such folder and nobody named one, at the server on
 * the port that `npm start` uses. A folder is made for the first key alone.
 *
 * @throws UsageError, ConfigError, DataFolderBusyError, UnreachableError; NoServerError where there
 *   is nothing to look at.
 */
export async function openKeyAdmin(
  environment: Record<string, string | undefined>,
  { url, isNew }: KeyPlace,
): Promise<KeyAdmin> {
  const config = parseConfig(environment);
  const isNamed = url !== undefined || (environment['TURNPIKE_URL'] ?? '') !== '';
  if (!isNamed && config.databaseUrl !== undefined) {
    return inDatabase(await openDeployed(config.databaseUrl));
  }
  const search = await locateServer(environment, url);
  const { isByPort } = search;
  const hasFolder = isNamed || existsSync(config.dataDir);
  // Keys of a folder that was named, or is there, are not made at a server that has another one.
  const isOthers = isByPort && (hasFolder || (environment['TURNPIKE_DATA_DIR'] ?? '') !== '');
  if (search.url !== undefined && !isOthers) {
    if (isByPort) process.stderr.write(`server ${search.url}\n`);
    return atServer(search.url, config.clientKey);
  }
  if (!hasFolder && !isNew) throw new NoServerError(search);
  return inDatabase(await openFolder(config));
}

function atServer(url: string, key: string | undefined): KeyAdmin {
  const { keys } = clientOf({ url, key });
  return {
    create: (body) => keys.create(body).catch(advise),
    list: () => keys.list().catch(advise),
    revoke: (id) => keys.revoke(id).catch(advise),
    close: async () => undefined,
  };
}

/** A server that runs is asked with a key that may; one that has stopped leaves its data folder. */
function advise(error: unknown): never {
  const isAboutKey = error instanceof TurnpikeError && [401, 403].includes(error.status);
  if (!isAboutKey) throw error;
  const { code, status, retryable, retryAfterMs, requestId, details } = error;
  const message = `${error.message}\nThe server that runs manages its keys: set TURNPIKE_API_KEY to a key with the scope admin, or stop the server and call this again.`;
  const advice = { retryable, retryAfterMs, requestId };
  throw new TurnpikeError(code, { status, ...advice, details, message });
}

function inDatabase({ db, close }: Pick<OpenedDatabase, 'db' | 'close'>): KeyAdmin {
  const clock = systemClock;
  const store = new KeyStore(db, clock);
  const audit = new AuditLog(db, clock);
  const known = new KnownKeys(
    store,
    clock,
    createLogger({ level: 'warn', readable: true, redact: hideKeys }),
  );
  const keys = new KeyService(db, clock, store, audit, known);
  return {
    create: (body) => keys.create(readNewKey(body), COMMAND_LINE),
    list: () => keys.list(),
    revoke: (id) => keys.revoke(id, COMMAND_LINE),
    close,
  };
}

async function openDeployed(url: string): Promise<OpenedDatabase> {
  const onError = (error: Error): void => console.error(error.message);
  return openPostgres({ url, connections: 1, onError }).catch((error: unknown) => {
    throw new UnreachableError('DATABASE_URL', url, error);
  });
}

async function openFolder({ dataDir }: Config): Promise<Pick<OpenedDatabase, 'db' | 'close'>> {
  const opened = new ResourceStack();
  const { db } = await opened.orClose(async () => {
    await opened.add(holdDataFolder(dataDir), ({ release }) => release());
    return opened.add(openEmbeddedDatabase(dataDir), ({ close }) => close());
  });
  return { db, close: () => opened.close() };
}
