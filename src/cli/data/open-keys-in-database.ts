import { AuditLog } from '../../access/audit-log.js';
import { KeyService } from '../../access/keys/key-service.js';
import type { CreatedKeyDto } from '../../access/keys/key.dto.js';
import { hideKeys } from '../../access/keys/key-secret.js';
import { KeyStore } from '../../access/keys/key-store.js';
import { ApiKeyCache } from '../../access/keys/api-key-cache.js';
import { KeyChangesDto, NewKeyDto } from '../../access/keys/key.dto.js';
import type { KeyDto, MasterKeyRotationDto } from '../../access/keys/key.dto.js';
import { openVault } from '../../access/secrets/secret-vault.js';
import { MasterKeyRotation } from '../../access/secrets/master-key-rotation.js';
import type { Config } from '../../config/config.js';
import { takeRequest } from '../../http/request.pipe.js';
import { systemClock } from '../../platform/clock.js';
import { createLogger } from '../../platform/logger.js';
import { ResourceStack } from '../../platform/async/resource-stack.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { openEmbeddedDatabase } from '../../storage/embedded-database.js';
import { openDataFolder } from '../../storage/folder/open-folder.js';
import type { SchemaReport } from '../../storage/migrate-database.js';
import { openPostgres } from '../../storage/postgres-database.js';

/** The actor in the audit log. */
const AUDIT_ACTOR = { id: 'command-line' };

export interface KeyAdmin {
  /** @param body that of the route that creates keys. */
  create(body: Record<string, unknown>): Promise<CreatedKeyDto>;
  list(): Promise<KeyDto[]>;
  /** @param body that of the route that changes keys. */
  change(id: string, body: Record<string, unknown>): Promise<KeyDto>;
  revoke(id: string): Promise<KeyDto>;
  rotateMaster(): Promise<MasterKeyRotationDto>;
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
  const logger = createLogger({ level: 'warn', readable: true, redact: hideKeys });
  const known = new ApiKeyCache(store, clock, logger);
  const keys = new KeyService(db, clock, store, audit, known);
  return {
    create: async (body) => keys.create(await takeRequest(NewKeyDto, body), AUDIT_ACTOR),
    list: () => keys.list(),
    change: async (id, body) =>
      keys.change(id, await takeRequest(KeyChangesDto, body), AUDIT_ACTOR),
    revoke: (id) => keys.revoke(id, AUDIT_ACTOR),
    rotateMaster: async () => {
      const { masterKeyFile } = config;
      const vault = await openVault({ masterKeyFile }, db, clock, logger);
      return new MasterKeyRotation(db, vault, audit).rotate(AUDIT_ACTOR);
    },
    close,
  };
}

type CommandDatabase = Pick<OpenedDatabase, 'db' | 'close'> & { schema: SchemaReport };

/**
 * Opens the database that a server of this configuration would open: that of `DATABASE_URL`, or the
 * data folder's, which has one owner.
 *
 * @throws DataFolderBusyError, SchemaError, UnreachableError.
 */
export async function openDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir' | 'migrate' | 'preparedStatements'>,
): Promise<CommandDatabase> {
  const { databaseUrl: url, dataDir, migrate, preparedStatements } = config;
  if (url !== undefined) {
    const onError = (error: Error): void => console.error(error.message);
    return openPostgres({ url, connections: 1, migrate, preparedStatements, onError });
  }
  const opened = new ResourceStack();
  const { db, schema } = await opened.orClose(async () => {
    const { engine } = await opened.add(openDataFolder(dataDir), ({ release }) => release());
    return opened.add(openEmbeddedDatabase(engine, migrate), ({ close }) => close());
  });
  return { db, schema, close: () => opened.close() };
}
