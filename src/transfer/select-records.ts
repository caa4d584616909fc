import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Queryable } from '../storage/connection.js';
import type { RecordKind } from './record-kinds.js';

/** A record as the database words it: no value is parsed on its way into the file. */
export interface SelectedRecord {
  type: string;
  /** A JSON object of the row's fields, without line breaks. */
  row: string;
}

/**
 * Loads the rows of the kinds that belong to an owner, in the order of the kinds: one statement, which sees
 * them all at one moment.
 */
export async function selectRecords(
  db: Queryable,
  kinds: readonly RecordKind[],
  ownerId: string,
): Promise<SelectedRecord[]> {
  const selects = kinds.map((kind, index) => selectKind(kind, index, ownerId));
  const { rows } = await db.execute(sql`
    select type, "row" from (${sql.join(selects, sql` union all `)}) found order by part, place`);
  // A line break in a JSON text stands between its values.
  return (rows as SelectedRecord[]).map(({ type, row }) => ({
    type,
    row: row.includes('\n') ? row.replaceAll('\n', ' ') : row,
  }));
}

function selectKind(kind: RecordKind, part: number, ownerId: string): SQL {
  const { type, table, owner, order } = kind;
  const ordered = order.length === 0 ? sql`` : sql`order by ${sql.join([...order], sql`, `)}`;
  return sql`
    select ${part}::integer as part, row_number() over (${ordered}) as place, ${type}::text as type,
      ${selectColumns(kind)} as "row"
    from ${table} where ${owner} = ${ownerId}`;
}

/** The JSON text of a row's fields. */
export function selectColumns({ columns }: Pick<RecordKind, 'columns'>): SQL<string> {
  const fields = Object.entries(columns).map(
    ([name, column]) => sql`${fieldOf(column)} as ${sql.identifier(name)}`,
  );
  return sql<string>`(select row_to_json(r) from (select ${sql.join(fields, sql`, `)}) r)::text`;
}

/** Times are in UTC, to the microsecond, whatever the time zone of the connection. */
function fieldOf(column: PgColumn): SQL {
  return column.getSQLType().startsWith('timestamp')
    ? sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    : sql`${column}`;
}
