import { count, type SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Queryable } from './connection.js';
import { lockKey } from './statements.js';

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

/**
 * Waits for a lock, which the transaction's end releases, and then counts: no two transactions pass the limit together.
 *
 * @param rows those that the limit is of. @throws what `full` makes, where there are as many as there may be.
 */
export async function lockForOneMore(
  tx: Queryable,
  lock: { of: Parameters<typeof lockKey>[1]; key: string },
  rows: { table: PgTable; where: SQL; most: number },
  full: (most: number) => Error,
): Promise<void> {
  await lockKey(tx, lock.of, lock.key);
  const counted = await tx.select({ rows: count() }).from(rows.table).where(rows.where);
  if (returnedRow(counted, 'count').rows >= rows.most) throw full(rows.most);
}
