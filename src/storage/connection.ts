import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { CopyOut } from './copy-out.js';
import type * as schema from './schema.js';

/** Result of a raw statement, on either engine. */
interface Rows extends PgQueryResultHKT {
  type: { rows: unknown[] };
}

/** PostgreSQL, or PGlite: the same SQL embedded. */
export type Database = PgDatabase<Rows, typeof schema>;
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
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injects the `OpenedDatabase` of the back end. */
export const OPENED_DATABASE = Symbol('OpenedDatabase');

/** Injects the back end's `Database`, for statements. */
export const DATABASE = Symbol('Database');
