import { getTableColumns, getTableName, sql, SQL, StringChunk, type SQLChunk } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';

/**
 * Builds `insert into table (…) select … from source`: the row is stored once for each row of the
 * source. Values are encoded by the table's columns; `undefined` is left out.
 *
 * @param source name of another part of the same statement, and what may follow it.
 * @param conflict an `on conflict` or `returning` clause.
 */
export function insertFrom<T extends PgTable>(
  source: SQL,
  table: T,
  row: T['$inferInsert'],
  conflict?: SQL,
): SQL {
  const given = Object.entries<unknown>(row).filter(([, value]) => value !== undefined);
  const { head, columns } = shapeOf(
    table,
    given.map(([key]) => key),
  );
  const chunks: SQLChunk[] = [head];
  for (const [index, [, value]] of given.entries()) {
    const column = columns[index];
    if (column === undefined) continue;
    // Column encoders do not take NULL.
    chunks.push(value === null ? sql.param(null) : sql.param(value, column.column), column.cast);
  }
  chunks.push(source);
  if (conflict !== undefined) chunks.push(separator, conflict);
  return new SQL(chunks);
}

const separator = new StringChunk(' ');

/** The constant text of an insert into some columns. */
interface Shape {
  head: StringChunk;
  /** `cast` types a parameter, which has no type in a SELECT. */
  columns: { column: PgColumn; cast: StringChunk }[];
}

const shapes = new WeakMap<PgTable, Map<string, Shape>>();

/** Builds the text once for each set of columns: building it is what makes a statement slow. */
function shapeOf(table: PgTable, keys: readonly string[]): Shape {
  const ofTable = shapes.get(table) ?? new Map<string, Shape>();
  shapes.set(table, ofTable);
  const name = keys.join();
  const known = ofTable.get(name);
  if (known !== undefined) return known;
  const all = getTableColumns(table);
  const columns = keys.map((key, index) => {
    const column = all[key];
    if (column === undefined) throw new Error(`The table has no column ${key}`);
    const next = index === keys.length - 1 ? ' from ' : ', ';
    return { column, cast: new StringChunk(`::${column.getSQLType()}${next}`) };
  });
  const names = columns.map(({ column }) => `"${column.name}"`).join(', ');
  const head = new StringChunk(`insert into "${getTableName(table)}" (${names}) select `);
  const shape = { head, columns };
  ofTable.set(name, shape);
  return shape;
}

/** The turn's row, while the attempt owns it: see `storeWrites`. */
const fence = sql`fence`;

/** Builds an insert that stores its row only where the statement's fence has one. */
export function insertFenced<T extends PgTable>(
  table: T,
  row: T['$inferInsert'],
  conflict?: SQL,
): SQL {
  return insertFrom(fence, table, row, conflict);
}
