/** The most migrations that a message names. */
const mostNamed = 3;

/** A database's schema is not the one that this program needs. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';

  static missing(tags: readonly string[]): SchemaError {
    return new SchemaError(
      `The database lacks ${countOf(tags.length)} (${list(tags)}): run turnpike migrate before this version starts, or set TURNPIKE_MIGRATE=apply.`,
    );
  }

  static broken([first]: readonly [Contract, ...Contract[]], version: string): SchemaError {
    return new SchemaError(
      `The database is for Turnpike ${first.leastVersion} or later since its migration ${first.migration}, and this is ${version}: start a later version, or restore a backup from before that migration.`,
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
      `The migrations failed, and the database is as it was: ${reason}. Correct that, and run turnpike migrate again.`,
      { cause },
    );
  }

  static locked(cause: unknown): SchemaError {
    return new SchemaError(
      'The migrations waited too long for a table that a running transaction uses, and the database is as it was: run turnpike migrate again.',
      { cause },
    );
  }
}

function countOf(count: number): string {
  return count === 1 ? 'a migration' : `${count} migrations`;
}

function list(tags: readonly string[]): string {
  const more = tags.length - mostNamed;
  const named = tags.slice(0, mostNamed).join(', ');
  return more > 0 ? `${named} and ${more} more` : named;
}

/** A migration of this program, or of a database: the time in the journal identifies it. */
export interface Migration {
  tag: string;
  /** Milliseconds, which grow from one migration to the next. */
  when: number;
}

/** A migration that took something away. */
interface Contract {
  migration: string;
  /** The first version that works without what was taken away: `major.minor.patch`. */
  leastVersion: string;
}

/** The schema of a database, as the database says. */
export interface StoredSchema {
  /** Times of the migrations that were applied. */
  applied: readonly number[];
  contracts: readonly Contract[];
}

export interface SchemaDifference {
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
  const whens = new Set(known.map(({ when }) => when));
  return {
    missing: known.filter(({ when }) => !applied.includes(when)).map(({ tag }) => tag),
    unknown: applied.filter((when) => !whens.has(when)).length,
    broken: contracts.filter(({ leastVersion }) => isOlder(version, leastVersion)),
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
