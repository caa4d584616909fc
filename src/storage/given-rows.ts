import { SQL, StringChunk, sql, type GetColumnData } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';

/** Columns of given rows by name; they encode the values. */
export type GivenColumns = Record<string, PgColumn>;

export type GivenRow<C extends GivenColumns> = {
  [K in keyof C]: GetColumnData<C[K]> | null | undefined;
};

/** The values of a row by its columns, as the driver takes them; null for what is missing. */
export function encodeRow<C extends GivenColumns>(
  columns: C,
  row: Partial<GivenRow<C>>,
): unknown[] {
  return Object.entries<PgColumn>(columns).map(([name, column]) => {
    const value: unknown = row[name];
    // Column encoders do not take NULL.
    return value === null || value === undefined ? null : column.mapToDriverValue(value);
  });
}

/** PostgreSQL's types of columns, by their names. */
export function typesOf(columns: GivenColumns): Record<string, string> {
  return Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [name, column.getSQLType()]),
  );
}

/**
 * The literal of an array of JSON texts, in which only quotes and backslashes are to be escaped: a JSON text has no
 * other character that a string in JSON escapes. The driver's own escape makes three copies of each text.
 */
function jsonArray(texts: readonly unknown[]): string {
  return `{${texts.map((text) => (text === null ? 'NULL' : JSON.stringify(text))).join()}}`;
}

/** The parameters of `unnest`: the values of each column as one array. */
export function givenParams(
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly unknown[])[],
): unknown[] {
  return Object.values(types).map((type, index) => {
    const values = rows.map((row) => row[index]);
    return type === 'json' ? jsonArray(values) : values;
  });
}

/**
 * Builds `unnest(…) given (…)`: rows as one parameter a column. The text is the same for any number of
 * rows, so that a statement is prepared once. The server sees the parameters through subqueries: it would plan
 * the statement each time for the number of rows that it has.
 *
 * @param rows values of each row in the order of `types`; none where the text alone is wanted.
 */
export function unnest(
  types: Readonly<Record<string, string>>,
  rows: readonly (readonly unknown[])[] = [],
): SQL {
  const params = givenParams(types, rows);
  const chunks: SQL['queryChunks'] = [];
  let before = 'unnest((select ';
  for (const [index, type] of Object.values(types).entries()) {
    chunks.push(new StringChunk(before), sql.param(params[index]));
    before = `::${type}[]), (select `;
  }
  const names = Object.keys(types).map((name) => `"${name}"`);
  chunks.push(
    new StringChunk(`${before.slice(0, before.lastIndexOf(','))}) given (${names.join(', ')})`),
  );
  return new SQL(chunks);
}
