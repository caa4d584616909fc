import type { Config } from '../../config/config.js';
import { ResourceStack } from '../../platform/async/resource-stack.js';
import type { OpenedDatabase } from '../../storage/connection.js';
import { openEmbeddedDatabase } from '../../storage/embedded-database.js';
import { openDataFolder } from '../../storage/folder/open-folder.js';
import type { SchemaReport } from '../../storage/migrate/migrate-database.js';
import { openPostgres } from '../../storage/postgres-database.js';

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
