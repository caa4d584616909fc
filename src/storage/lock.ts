import { sql } from 'drizzle-orm';
import type { Queryable } from './connection.js';

/** What is done one transaction at a time, in the whole deployment. */
const locks = { 'accept-turn': 1, 'create-session': 2 } as const;

/** Waits for the lock and holds it until the transaction ends. */
export async function lockFor(tx: Queryable, what: keyof typeof locks): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x7475726e}, ${locks[what]})`);
}
