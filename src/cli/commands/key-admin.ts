import { AuditLog } from '../../access/audit-log.js';
import { KeyService, type CreatedKey } from '../../access/key-service.js';
import { hideKeys } from '../../access/key-secret.js';
import { KeyStore } from '../../access/key-store.js';
import { KnownKeys } from '../../access/known-keys.js';
import { NewKeyDto } from '../../access/new-key.dto.js';
import type { KeyView } from '../../access/view-key.js';
import { TurnpikeError } from '../../client/turnpike-client.js';
import { takeRequest } from '../../http/request.pipe.js';
import { systemClock } from '../../platform/clock.js';
import { createLogger } from '../../platform/logger.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { clientOf } from './find-server.js';
import { locateStore } from './locate-store.js';
import { openDatabase } from './open-database.js';

/** The actor in the audit log. */
const AUDIT_ACTOR = 'command-line';

export interface KeyAdminOptions {
  /** The value of `--url`. */
  url?: string | undefined;
  /** The command creates a key: a missing data folder is created for it. */
  isNew: boolean;
}

export interface KeyAdmin {
  /** @param body that of the route that creates keys. */
  create(body: Record<string, unknown>): Promise<CreatedKey>;
  list(): Promise<KeyView[]>;
  revoke(id: string): Promise<KeyView>;
  close(): Promise<void>;
}

/**
 * Opens the keys where `locateStore` finds them. A data folder is created for a new key alone.
 *
 * @throws UsageError, ConfigError, DataFolderBusyError, SchemaError, UnreachableError; NoServerError
 *   where there is neither server nor folder.
 */
export async function openKeyAdmin(
  environment: Record<string, string | undefined>,
  { url, isNew }: KeyAdminOptions,
): Promise<KeyAdmin> {
  const found = await locateStore(environment, { url, mayCreate: isNew });
  if (found.type === 'server') return atServer(found.url, found.key);
  return inDatabase(await openDatabase(found.config));
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

/** Adds what to do to a refusal of the key. */
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
    create: async (body) => keys.create(await takeRequest(NewKeyDto, body), AUDIT_ACTOR),
    list: () => keys.list(),
    revoke: (id) => keys.revoke(id, AUDIT_ACTOR),
    close,
  };
}
