import type { Contract } from './compare-schema.js';

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
