import { getTableColumns, getTableName, type InferInsertModel } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { encodeRow, typesOf, type InputColumns, type InputRow } from './statements.js';

/** A row that a turn stores, as data: one statement takes the rows of many turns. */
export interface StoreWrite {
  kind: WriteKind;
  /** Values by the kind's columns. */
  values: readonly unknown[];
}

/** A kind of rows: what any number of them does to the database. */
export interface WriteKind {
  /** Number of the kind, by which the parts of a statement are in the same order each time. */
  id: number;
  /** PostgreSQL's types of the row's columns, by their names: `fence_id`, then the kind's. */
  types: Readonly<Record<string, string>>;
  /**
   * The text of a data-modifying query.
   *
   * @param input name of the rows whose turns the statement may write: the kind's columns, and of the turn
   *   `fence_id`, `fence_session`, `fence_principal` and `fence_parent`.
   */
  text(input: string): string;
}

let kinds = 0;

/**
 * Defines a kind of rows by the columns that encode their values.
 *
 * @returns makes a row of the kind.
 */
export function writeKind<C extends InputColumns>(
  columns: C,
  text: WriteKind['text'],
): (row: InputRow<C>) => StoreWrite {
  const types = { fence_id: 'text', ...typesOf(columns) };
  const kind: WriteKind = { id: kinds++, types, text };
  return (row) => ({ kind, values: encodeRow(columns, row) });
}

/** Defines rows that are inserted into a table. `conflict` is an `on conflict` clause. */
export function insertKind<T extends PgTable, K extends keyof InferInsertModel<T> & string>(
  table: T,
  keys: readonly K[],
  conflict = '',
): (row: Pick<InferInsertModel<T>, K>) => StoreWrite {
  const columns = pickColumns(table, keys);
  const names = Object.values(columns).map(({ name }) => `"${name}"`);
  const head = `insert into "${getTableName(table)}" (${names.join(', ')})`;
  const values = keys.map((key) => `"${key}"`).join(', ');
  return writeKind(columns, (input) => `${head} select ${values} from ${input} ${conflict}`);
}

/** Defines changes of the turn's own row. */
export function updateTurnKind<T extends PgTable, K extends keyof InferInsertModel<T> & string>(
  table: T,
  keys: readonly K[],
): (changes: Pick<InferInsertModel<T>, K>) => StoreWrite {
  const columns = pickColumns(table, keys);
  const set = Object.entries(columns).map(([key, { name }]) => `"${name}" = input."${key}"`);
  const name = getTableName(table);
  return writeKind(
    columns,
    (input) =>
      `update "${name}" set ${set.join(', ')} from ${input} input where "${name}".id = input.fence_id`,
  );
}

/** Columns of a table by the names of its fields. */
export function pickColumns(table: PgTable, keys: readonly string[]): InputColumns {
  const all: Record<string, PgColumn> = getTableColumns(table);
  return Object.fromEntries(
    keys.map((key) => {
      const column = all[key];
      if (column === undefined) throw new Error(`The table has no column ${key}`);
      return [key, column];
    }),
  );
}
