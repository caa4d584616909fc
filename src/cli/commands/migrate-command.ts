import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseConfig, type Config } from '../../config/config.js';
import type { SchemaReport } from '../../storage/migrate-database.js';
import { openDatabase } from '../data/open-keys-in-database.js';
import type { Cli, CliCommand } from '../command.js';
import { explainStartFailure } from '../render/explain-start-failure.js';

/**
 * `turnpike migrate`: brings the database of `DATABASE_URL`, or the data folder's, up to this version.
 * Commands that run at once take turns. Exit code: 1 when it failed, or found migrations missing.
 */
export function migrateCommand(command: CliCommand, cli: Cli): void {
  command
    .option('--check', 'change nothing; exit with 1 if migrations are missing')
    .action(async ({ check = false }) => {
      cli.exitCode = await migrate(check, cli);
    });
}

async function migrate(isCheck: boolean, { environment, out, err }: Cli): Promise<number> {
  try {
    const config = parseConfig(environment, { needsRedis: false });
    if (isCheck && !hasDatabase(config)) {
      err(`There is no database in ${config.dataDir}: a first start makes it.\n`);
      return 1;
    }
    const database = await openDatabase({ ...config, migrate: isCheck ? 'check' : 'apply' });
    await database.close();
    for (const line of describe(database.schema)) out(`${line}\n`);
    return 0;
  } catch (error) {
    err(`${explainStartFailure(error, environment)}\n`);
    return 1;
  }
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
