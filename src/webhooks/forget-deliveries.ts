import { lt, sql } from 'drizzle-orm';
import type { Queryable } from '../storage/connection.js';
import { webhookDeliveries } from '../storage/webhook-schema.js';

const DAY_MS = 86_400_000;

/** Deliveries deleted at a time. */
const MOST_AT_ONCE = 5_000;

/**
 * Deletes deliveries of old events, whatever became of them. Among them are those whose webhook was deleted while
 * they were stored. @returns their number.
 */
export async function forgetDeliveries(
  db: Queryable,
  now: Date,
  keepDays: number,
): Promise<number> {
  const { endpointId, id, createdAt } = webhookDeliveries;
  const before = new Date(now.getTime() - keepDays * DAY_MS);
  const old = db
    .select({ endpointId, id })
    .from(webhookDeliveries)
    .where(lt(createdAt, before))
    .orderBy(createdAt)
    .limit(MOST_AT_ONCE);
  const deleted = await db
    .delete(webhookDeliveries)
    .where(sql`(${endpointId}, ${id}) in ${old}`)
    .returning({ id });
  return deleted.length;
}
