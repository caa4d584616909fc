import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseConfig, type Config } from '../../config/config.js';
import type { SchemaReport } from '../../storage/migrate-database.js';
import { exitCodeOf } from '../render/explain-failure.js';
import { openDatabase } from '../data/open-keys-in-database.js';
import { parseCall } from '../arguments.js';
import { explainStartFailure } from '../render/explain-start-failure.js';

/**
 * `turnpike migrate`: brings the database of `DATABASE_URL`, or the data folder's, up to this version.
 * Commands that run at once take turns. With `--check` it changes nothing.
 *
 * @returns the exit code: 0; 1 when it failed, or found migrations missing; 2 for a wrong call.
 */
export async function migrateCommand(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): Promise<number> {
  try {
    const isCheck = parseCheck(args);
    const config = parseConfig(environment, { needsRedis: false });
    if (isCheck && !hasDatabase(config)) {
      console.error(`There is no database in ${config.dataDir}: a first start makes it.`);
      return 1;
    }
    const database = await openDatabase({ ...config, migrate: isCheck ? 'check' : 'apply' });
    await database.close();
    for (const line of describe(database.schema)) console.log(line);
    return 0;
  } catch (error) {
    console.error(explainStartFailure(error, environment));
    return exitCodeOf(error);
  }
}

function parseCheck(args: readonly string[]): boolean {
  const options = { check: { type: 'boolean', default: false } } as const;
  return parseCall(args, { options }).values.check;
}

/** A look at a data folder that is not there would make it. */
function hasDatabase({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl !== undefined || existsSync(path.join(dataDir, 'db'));
}

function describe({ applied, unknown }: SchemaReport): string[] {
  return [
    ...applied.map((tag) => `Applied ${tag}.`),
    'The database is up to date.',
    ...(unknown === 0
      ? []
      : [`It has migrations of a later version (${unknown}), which this version works with.`]),
  ];
}
