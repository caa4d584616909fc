import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';

/**
 * `insert into table (…) select … from source`: a row that is stored only where the source has
 * one. Values are converted as the table's columns say; `undefined` is left out.
 *
 * @param source name of another part of the same statement, and what may follow it.
 * @param conflict an `on conflict` or `returning` clause.
 */
export function insertFrom<T extends PgTable>(
  source: SQL,
  table: T,
  row: T['$inferInsert'],
  conflict: SQL = sql``,
): SQL {
  const columns = getTableColumns(table);
  const names: SQL[] = [];
  const values: SQL[] = [];
  for (const [key, value] of Object.entries<unknown>(row)) {
    if (value === undefined) continue;
    const column = columns[key];
    if (column === undefined) throw new Error(`The table has no column ${key}`);
    names.push(sql`${sql.identifier(column.name)}`);
    // NULL has no encoder, and a parameter of a SELECT no type of its own.
    const encoded = value === null ? null : sql.param(value, column);
    values.push(sql`${encoded}::${sql.raw(column.getSQLType())}`);
  }
  return sql`insert into ${table} (${sql.join(names, sql`, `)}) select ${sql.join(values, sql`, `)} from ${source} ${conflict}`;
}

/** The turn's row, while the attempt owns it: see `storeFacts`. */
const fence = sql`fence`;

/** A row that is stored only where the statement's fence holds. */
export function insertFenced<T extends PgTable>(
  table: T,
  row: T['$inferInsert'],
  conflict?: SQL,
): SQL {
  return insertFrom(fence, table, row, conflict);
}
