import { parseConfig } from '../../config/config.js';
import { openPostgres } from '../../storage/postgres-database.js';
import { UnreachableError } from '../../storage/unreachable-error.js';
import { explainStartFailure } from './serve-command.js';

/**
 * `turnpike migrate`: brings the database of `DATABASE_URL` up to this version. Every process does so
 * when it starts; a deployment may do it earlier with this command.
 *
 * @returns the exit code: 0; 1 when it failed.
 */
export async function migrateCommand(
  environment: Record<string, string | undefined>,
): Promise<number> {
  try {
    const { databaseUrl } = parseConfig(environment);
    if (databaseUrl === undefined) {
      console.error(
        'DATABASE_URL is not set. The embedded database is migrated when it is opened.',
      );
      return 1;
    }
    const database = await openPostgres({
      url: databaseUrl,
      connections: 1,
      onError: (error) => console.error(error.message),
    }).catch((error: unknown) => {
      throw new UnreachableError('DATABASE_URL', databaseUrl, error);
    });
    await database.close();
    console.log('The database is up to date.');
    return 0;
  } catch (error) {
    console.error(explainStartFailure(error, environment));
    return 1;
  }
}
