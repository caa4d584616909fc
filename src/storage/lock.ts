import { sql } from 'drizzle-orm';
import type { Queryable } from './connection.js';

/** Deployment-wide locks, each of one transaction at a time. */
const locks = { 'accept-turn': 1, 'create-session': 2, 'first-key': 3 } as const;

/** Locks of a key, each of one transaction at a time. They are taken before the locks above. */
const keyedLocks = { session: 0x74757270, principal: 0x74757271, feedback: 0x74757272 } as const;

/** Waits for a lock, which the transaction's end releases. */
export async function lockFor(tx: Queryable, what: keyof typeof locks): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${0x7475726e}, ${locks[what]})`);
}

/** Waits for the lock of a session, a principal or a turn's feedback. Two keys may share a lock, which costs time only. */
export async function lockKey(
  tx: Queryable,
  what: keyof typeof keyedLocks,
  key: string,
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${keyedLocks[what]}, hashtext(${key}))`);
}
