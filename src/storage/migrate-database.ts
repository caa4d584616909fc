import { commandNameOfServer } from '../platform/process/command-name.js';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import * as z from 'zod/mini';
import { parseValue } from '../platform/parsing/parse-value.js';
import { errorCode } from '../platform/error-code.js';
import { packageVersion } from '../platform/process/package-root.js';
import { driverError, isDatabaseDown } from './database-errors.js';

/** A schema that this program can use. */
export interface SchemaReport {
  /** Tags of the migrations that were applied just now. */
  applied: readonly string[];
  /** The number of migrations that are there and that this program does not know. */
  unknown: number;
}

/** Key of the advisory lock of migrations: the first letters of the product's name. */
const migrationLock = 0x7475726e;

/**
 * Longest wait for a lock on a table: while a migration waits for one, so do all statements on that
 * table that come after.
 */
const LOCK_TIMEOUT = '5s';

/** SQLSTATE of a lock that was not to be had in time. */
const lockNotAvailable = '55P03';

const nothing = { rows: [] };

const journalShape = z.object({
  entries: z.array(z.object({ tag: z.string(), when: z.number() })),
});

/** @throws SchemaError where a migration is missing, or the database is for later versions. */
export async function checkMigrations(db: NodePgDatabase): Promise<SchemaReport> {
  const { missing, unknown } = await differenceOf(db);
  if (missing.length > 0) throw SchemaError.missing(missing);
  return { applied: [], unknown };
}

/**
 * Applies what is missing in one transaction: all, or nothing. Processes that do so at once take
 * turns; the lock is the transaction's, so that it goes with it, through a pool of connections too.
 *
 * @throws SchemaError where a migration fails, or the database is for later versions.
 */
export async function applyMigrations(db: NodePgDatabase): Promise<SchemaReport> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${migrationLock})`);
    const { missing, unknown } = await differenceOf(tx);
    if (missing.length === 0) return { applied: [], unknown };
    await tx.execute(sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT}'`));
    await migrate(tx, { migrationsFolder }).catch(explain);
    const left = await differenceOf(tx);
    if (left.missing.length > 0) throw SchemaError.outOfOrder(left.missing);
    return { applied: missing, unknown };
  });
}

function explain(error: unknown): never {
  // An outage is the caller's to word.
  if (isDatabaseDown(error)) throw error;
  const cause = driverError(error);
  throw errorCode(cause) === lockNotAvailable
    ? SchemaError.locked(cause)
    : SchemaError.failed(cause);
}

/** @throws SchemaError where the database is for later versions. */
async function differenceOf(db: NodePgDatabase): Promise<SchemaDifference> {
  const found = compareSchema(await loadJournal(), await loadSchema(db), packageVersion);
  const [first, ...others] = found.broken;
  if (first !== undefined) throw SchemaError.broken([first, ...others], packageVersion);
  return found;
}

async function loadJournal(): Promise<Migration[]> {
  const text = await readFile(path.join(migrationsFolder, 'meta/_journal.json'), 'utf8');
  const { value, faults } = parseValue(journalShape, JSON.parse(text));
  if (faults !== undefined) throw new Error('The journal of migrations is not valid');
  return value.entries;
}

async function loadSchema(db: NodePgDatabase): Promise<StoredSchema> {
  const applied = (await exists(db, 'drizzle.__drizzle_migrations'))
    ? await db.execute<{ at: string }>(
        sql`select created_at::text as at from drizzle.__drizzle_migrations`,
      )
    : nothing;
  const contracts = (await exists(db, 'schema_contracts'))
    ? await db.execute<{ migration: string; least_version: string }>(
        sql`select migration, least_version from schema_contracts order by migration`,
      )
    : nothing;
  return {
    applied: applied.rows.map(({ at }) => Number(at)),
    contracts: contracts.rows.map(({ migration, least_version: minVersion }) => ({
      migration,
      minVersion,
    })),
  };
}

async function exists(db: NodePgDatabase, table: string): Promise<boolean> {
  const { rows } = await db.execute(sql`select 1 where to_regclass(${table}) is not null`);
  return rows.length > 0;
}

/** A start whose database lacks migrations refuses, or applies them. */
export const migrateModes = ['check', 'apply'] as const;
export type MigrateMode = (typeof migrateModes)[number];

/** The migrations' folder, next to this file and next to the bundle that contains it. */
export const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** The most migrations that a message names. */
const MAX_NAMED = 3;

/** A database's schema is not the one that this program needs. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';

  static missing(tags: readonly string[]): SchemaError {
    return new SchemaError(
      `The database lacks ${countOf(tags.length)} (${list(tags)}): run ${commandNameOfServer()} migrate before this version starts, or set TURNPIKE_MIGRATE=apply.`,
    );
  }

  static broken([first]: readonly [Contract, ...Contract[]], version: string): SchemaError {
    return new SchemaError(
      `The database is for Turnpike ${first.minVersion} or later since its migration ${first.migration}, and this is ${version}: start a later version, or restore a backup from before that migration.`,
    );
  }

  static outOfOrder(tags: readonly string[]): SchemaError {
    return new SchemaError(
      `The database lacks ${countOf(tags.length)} (${list(tags)}) and has later ones: it was not made by releases of Turnpike. Restore a backup, or start with a new database.`,
    );
  }

  static failed(cause: unknown): SchemaError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new SchemaError(
      `The migrations failed, and the database is as it was: ${reason}. Correct that, and run ${commandNameOfServer()} migrate again.`,
      { cause },
    );
  }

  static locked(cause: unknown): SchemaError {
    return new SchemaError(
      `The migrations waited too long for a table that a running transaction uses, and the database is as it was: run ${commandNameOfServer()} migrate again.`,
      { cause },
    );
  }
}

function countOf(count: number): string {
  return count === 1 ? 'a migration' : `${count} migrations`;
}

function list(tags: readonly string[]): string {
  const more = tags.length - MAX_NAMED;
  const named = tags.slice(0, MAX_NAMED).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** A migration of this program, or of a database: the time in the journal identifies it. */
interface Migration {
  tag: string;
  /** Milliseconds, which grow from one migration to the next. */
  when: number;
}

/** A migration that took something away. */
interface Contract {
  migration: string;
  /** The first version that works without what was taken away: `major.minor.patch`. */
  minVersion: string;
}

/** The schema of a database, as the database says. */
interface StoredSchema {
  /** Times of the migrations that were applied. */
  applied: readonly number[];
  contracts: readonly Contract[];
}

interface SchemaDifference {
  /** Tags of migrations that the database lacks, in their order. */
  missing: readonly string[];
  /** The number of migrations that this program does not know. */
  unknown: number;
  /** Contracts that this program is too old for. */
  broken: readonly Contract[];
}

/** @param version of this program. */
export function compareSchema(
  known: readonly Migration[],
  { applied, contracts }: StoredSchema,
  version: string,
): SchemaDifference {
  const knownTimes = new Set(known.map(({ when }) => when));
  return {
    missing: known.filter(({ when }) => !applied.includes(when)).map(({ tag }) => tag),
    unknown: applied.filter((when) => !knownTimes.has(when)).length,
    broken: contracts.filter(({ minVersion }) => isOlder(version, minVersion)),
  };
}

/** Only the three numbers count: `1.2.0-rc.1` is `1.2.0`. */
function isOlder(version: string, than: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(than)];
  const at = a.findIndex((number, index) => number !== b[index]);
  return at !== -1 && (a[at] ?? 0) < (b[at] ?? 0);
}

function numbersOf(version: string): number[] {
  const [release = ''] = version.split(/[-+]/);
  const [major = '', minor = '', patch = ''] = release.split('.');
  return [Number(major), Number(minor), Number(patch)];
}
