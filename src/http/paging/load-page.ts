import { asc, desc, sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { isStorable } from '../../storage/connection.js';
import { badCursor, type PageQueryDto } from './page-query.dto.js';

/** The order of a list: columns by their names in its rows, which together are different in each row. */
export interface PageKey<Name extends string> {
  columns: Record<Name, PgColumn>;
  /** Default: ascending. */
  isDescending?: boolean;
}

/** What a query of a page needs: its rows are those `after` the page before, in the order, and one more than the page. */
export interface PageClauses {
  after: SQL | undefined;
  orderBy: SQL[];
  limit: number;
}

export interface Page<Row> {
  rows: Row[];
  /** Absent on the last page. */
  nextCursor?: string;
}

/**
 * Loads a page of a list. Its token has the key of the page's last row, so that rows that come and go meanwhile
 * neither repeat nor hide others.
 *
 * @throws TypedError INVALID_REQUEST 400 for a cursor that no page gave.
 */
export async function loadPage<Name extends string, Row extends Record<Name, unknown>>(
  { cursor, limit }: PageQueryDto,
  { columns, isDescending = false }: PageKey<Name>,
  select: (clauses: PageClauses) => PromiseLike<Row[]>,
): Promise<Page<Row>> {
  const names = Object.keys(columns) as Name[];
  const by = names.map((name) => columns[name]);
  const after = cursor === undefined ? undefined : parseToken(cursor, by);
  const found = await select({
    after: after && sql`${tuple(by)} ${sql.raw(isDescending ? '<' : '>')} ${tuple(after)}`,
    orderBy: by.map((column) => (isDescending ? desc(column) : asc(column))),
    limit: limit + 1,
  });
  return cutPage(found, limit, (row) => formatToken(names.map((name) => row[name])));
}

/** A page of rows of which one more was looked for. @param tokenOf the token of the page that begins after a row. */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  tokenOf: (row: Row) => string,
): Page<Row> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return { rows, ...(last === undefined ? {} : { nextCursor: tokenOf(last) }) };
}

function tuple(parts: readonly (PgColumn | SQL)[]): SQL {
  return sql`(${sql.join([...parts], sql`, `)})`;
}

/** Opaque: a JSON array of the key's values, in base64. A time is in milliseconds since the epoch. */
function formatToken(values: readonly unknown[]): string {
  const plain = values.map((value) => (value instanceof Date ? value.getTime() : value));
  return Buffer.from(JSON.stringify(plain)).toString('base64url');
}

function parseToken(token: string, by: readonly PgColumn[]): SQL[] {
  const values = parseValues(token);
  if (values.length !== by.length) throw badCursor();
  return by.map((column, index) => {
    const value = toParameter(column, values[index]);
    return sql`${value}::${sql.raw(column.getSQLType())}`;
  });
}

function parseValues(token: string): unknown[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

/** The last moment of the year 9999, in ms since the epoch. */
const LAST_TIME = 253_402_300_799_999;
const MAX_INTEGER = 2 ** 31 - 1;

/** The value of a column, which the client may have made up. */
function toParameter({ dataType }: PgColumn, value: unknown): string | number {
  if (dataType === 'string') {
    if (typeof value === 'string' && isStorable(value)) return value;
  } else if (typeof value === 'number' && Number.isInteger(value) && value >= 0) {
    if (dataType === 'number' && value <= MAX_INTEGER) return value;
    if (dataType === 'date' && value <= LAST_TIME) return new Date(value).toISOString();
  }
  throw badCursor();
}
