import { count, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Queryable } from './connection.js';

/** The row that was looked for. @throws what `missing` makes, where there is none. */
export function foundRow<Row>(rows: readonly Row[], missing: () => Error): Row {
  const [row] = rows;
  if (row === undefined) throw missing();
  return row;
}

/** The row of a statement that returns one without fail. @param what its name, for a database that does not. */
export function returnedRow<Row>(rows: readonly Row[], what: string): Row {
  return foundRow(rows, () => new Error(`The database returned no ${what}`));
}

interface CountedRows {
  table: PgTable;
  where: SQL;
}

/**
 * Counts rows that there may be so many of. Under a lock that the transaction waited for before, no two pass together.
 *
 * @throws what `full` makes, where there are as many as there may be.
 */
export async function countBelow(
  tx: Queryable,
  { table, where }: CountedRows,
  most: number,
  full: (most: number) => Error,
): Promise<void> {
  const counted = await tx.select({ rows: count() }).from(table).where(where);
  if (returnedRow(counted, 'count').rows >= most) throw full(most);
}
