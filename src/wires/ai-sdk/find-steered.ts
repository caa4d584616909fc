import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import type { TurnRow } from '../../turn/state/turn-row.js';

/**
 * Id of the message that was steered into a turn with an idempotency key, or of the last one; undefined where
 * there is none.
 */
export async function findSteered(
  db: Database,
  { id, steeredMessages: count }: TurnRow,
  idempotencyKey?: string,
): Promise<string | undefined> {
  if (count === 0) return undefined;
  const hasKey =
    idempotencyKey === undefined ? undefined : eq(steeredMessages.idempotencyKey, idempotencyKey);
  const [last] = await db
    .select({ id: steeredMessages.id })
    .from(steeredMessages)
    .where(and(eq(steeredMessages.turnId, id), hasKey))
    .orderBy(desc(steeredMessages.position))
    .limit(1);
  return last?.id;
}
