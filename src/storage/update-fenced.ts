import { getTableColumns, sql, type SQL } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';

/**
 * Builds `update table set … from fence where key = fence.id`, which changes a row only where the
 * statement's fence has one. Values are encoded by the table's columns; `undefined` is left out.
 */
export function updateFenced<T extends PgTable, K extends keyof T['$inferInsert']>(
  table: T,
  key: AnyPgColumn,
  changes: Pick<T['$inferInsert'], K>,
): SQL {
  const columns = getTableColumns(table);
  const set = Object.entries<unknown>(changes).flatMap(([name, value]) => {
    const column = columns[name];
    if (column === undefined) throw new Error(`The table has no column ${name}`);
    if (value === undefined) return [];
    const encoded = value === null ? null : sql.param(value, column);
    return [sql`${sql.identifier(column.name)} = ${encoded}::${sql.raw(column.getSQLType())}`];
  });
  return sql`update ${table} set ${sql.join(set, sql`, `)} from fence where ${key} = fence.id`;
}
