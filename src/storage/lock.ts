import { sql } from 'drizzle-orm';
import type { Queryable } from './connection.js';

/** What is done one transaction at a time, in the whole deployment. */
const locks = { 'accept-turn': 1, 'create-session': 2 } as const;

/** What is done one transaction at a time for each key. Taken before the ones above. */
const keyedLocks = { session: 0x74757270, principal: 0x74757271 } as const;

/** Waits for the lock and holds it until the transaction ends. */
export async function lockFor(tx: Queryable, what: keyof typeof locks): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x7475726e}, ${locks[what]})`);
}

/** The same for one session or principal. Two keys may share a lock, which costs time only. */
export async function lockKey(
  tx: Queryable,
  what: keyof typeof keyedLocks,
  key: string,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyedLocks[what]}, hashtext(${key}))`);
}
