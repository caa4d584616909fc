import { AuditLog } from '../../access/audit-log.js';
import { KeyService, type CreatedKey } from '../../access/key-service.js';
import { hideKeys } from '../../access/key-secret.js';
import { KeyStore } from '../../access/key-store.js';
import { KnownKeys } from '../../access/known-keys.js';
import { NewKeyDto } from '../../access/new-key.dto.js';
import type { KeyView } from '../../access/view-key.js';
import type { Config } from '../../config/config.js';
import { takeRequest } from '../../http/request.pipe.js';
import { systemClock } from '../../platform/clock.js';
import { createLogger } from '../../platform/logger.js';
import { openDatabase } from './open-database.js';

/** The actor in the audit log. */
const AUDIT_ACTOR = 'command-line';

export interface KeyAdmin {
  /** @param body that of the route that creates keys. */
  create(body: Record<string, unknown>): Promise<CreatedKey>;
  list(): Promise<KeyView[]>;
  revoke(id: string): Promise<KeyView>;
  close(): Promise<void>;
}

/**
 * The keys in a database that no server has for itself.
 *
 * @throws DataFolderBusyError, SchemaError, UnreachableError.
 */
export async function openKeysInDatabase(config: Config): Promise<KeyAdmin> {
  const { db, close } = await openDatabase(config);
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
