import { buffer } from 'node:stream/consumers';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { isPlainObject } from '../platform/json.js';
import type * as schema from './schema.js';
import type { SessionLock } from './session-lock.js';

/** Result of a raw statement, on either engine. */
interface Rows extends PgQueryResultHKT {
  type: { rows: unknown[] };
}

/** A statement that comes often, and its parameters. */
export interface NamedStatement {
  /** At most 63 characters; one text has one name. */
  name: string;
  text: string;
  values: unknown[];
}

/** PostgreSQL, or PGlite: the same SQL embedded. */
export type Database = PgDatabase<Rows, typeof schema> & {
  /** Runs a statement that the server parses once for each connection. @returns its rows. */
  runNamed(statement: NamedStatement): Promise<Record<string, unknown>[]>;
};
/** The database, or one of its transactions. */
export type Queryable = Pick<
  Database,
  'select' | 'selectDistinct' | 'insert' | 'update' | 'delete' | 'execute'
>;

export interface PoolState {
  active: number;
  idle: number;
  waiting: number;
}

export interface OpenedDatabase {
  db: Database;
  /** Reads the raw bytes of a column. Absent where the engine cannot. */
  copyOut?: CopyOut;
  /** Counts the connections, and the statements that wait for one. */
  pool?(): PoolState;
  /**
   * Holds a lock of this name for as long as the process lives: see `holdLock`. Absent where the engine has no other
   * process beside it.
   */
  hold?(name: string, onLost: (error: unknown) => void): Promise<SessionLock>;
  /** Tries a write, which leaves nothing. Rejects when the database takes none, or does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injects the `OpenedDatabase` of the back end. */
export const OPENED_DATABASE = Symbol('OpenedDatabase');

/** Injects the back end's `Database`, for statements. */
export const DATABASE = Symbol('Database');

/** Timeout of a copy, in ms: a longer copy waits for a network that is gone. */
const COPY_MS = 60_000;
/** Bytes before the rows: signature, flags, and the length of an absent extension. */
const HEAD_BYTES = 19;

/** `pg` reads `query_timeout`, in ms, and sets `callback`, which ends its timer. */
type TimedCopy = ReturnType<typeof copyTo> & { query_timeout?: number; callback?: () => void };

/** Runs a statement of one column. @returns the column's bytes, row by row. */
export type CopyOut = (statement: string) => Promise<Buffer[]>;

/**
 * Reads bytes by COPY: a query's result has them as text, twice as long, and as a string on the
 * way.
 */
export function openCopyOut(pool: Pool): CopyOut {
  return async (statement) => {
    const client = await pool.connect();
    const copy: TimedCopy = copyTo(`copy (${statement}) to stdout (format binary)`);
    copy.query_timeout = COPY_MS;
    try {
      const copied = await buffer(client.query(copy));
      client.release();
      return parseColumn(copied);
    } catch (error) {
      // The rest of the copy may still arrive on this connection.
      client.release(true);
      throw error;
    } finally {
      // A copy never calls it, and the timer would keep the process alive.
      copy.callback?.();
    }
  };
}

/** Parses rows of one column in PostgreSQL's binary copy format. Pure. */
export function parseColumn(copied: Buffer): Buffer[] {
  const values: Buffer[] = [];
  let at = HEAD_BYTES;
  // A row is its number of columns, then each column's length and bytes; -1 ends the copy.
  while (copied.readInt16BE(at) !== -1) {
    const length = copied.readInt32BE(at + 2);
    values.push(copied.subarray(at + 6, at + 6 + length));
    at += 6 + length;
  }
  return values;
}

/**
 * NUL and unpaired surrogates: PostgreSQL stores them neither as text nor in JSON that it parses.
 */
const unstorable = /[\0\p{Cs}]/u;
const everyUnstorable = /[\0\p{Cs}]/gu;

export function isStorable(text: string): boolean {
  return !unstorable.test(text);
}

/** The text with `�` for each character that cannot be stored. */
export function storableText(text: string): string {
  return text.replaceAll(everyUnstorable, '\uFFFD');
}

/**
 * A JSON value with storable texts and keys. Recursive: the value's depth must be limited, as that
 * of request bodies is.
 */
export function storableJson(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storableJson);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [storableText(key), storableJson(item)]),
  );
}
