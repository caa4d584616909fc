import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import type { CopyOut } from './copy-out.js';
import type * as schema from './schema.js';

/** What a raw statement answers, on either engine. */
interface Rows extends PgQueryResultHKT {
  type: { rows: unknown[] };
}

/** PostgreSQL, or PGlite: the same SQL embedded. */
export type Database = PgDatabase<Rows, typeof schema>;
/** What a query runs on: the database, or a transaction of it. */
export type Queryable = Pick<Database, 'select' | 'insert' | 'update' | 'delete' | 'execute'>;

export interface OpenedDatabase {
  db: Database;
  /** Reads bytes without a detour over text; where the engine has a way to. */
  copyOut?: CopyOut;
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Injects the `OpenedDatabase` of the back end. */
export const OPENED_DATABASE = Symbol('OpenedDatabase');

/** Injects its `Database`, for statements. */
export const DATABASE = Symbol('Database');
