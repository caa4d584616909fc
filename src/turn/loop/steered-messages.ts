import { and, asc, inArray, isNotNull, sql, type SQL } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { joinedMessages } from '../../storage/governance-schema.js';

/** A user's message that was steered into a running turn. */
export interface SteeredMessage {
  messageId: string;
  /** The step after which it is delivered; 0: before the first. */
  afterStep: number;
  text: string;
}

export type SteeredRow = typeof joinedMessages.$inferSelect;

/** Delivered messages of these turns, in order. */
export async function loadDeliveredMessages(
  db: Queryable,
  turnIds: readonly string[],
): Promise<SteeredRow[]> {
  return db
    .select()
    .from(joinedMessages)
    .where(and(inArray(joinedMessages.turnId, [...turnIds]), isNotNull(joinedMessages.afterStep)))
    .orderBy(asc(joinedMessages.afterStep), asc(joinedMessages.position));
}

export function toSteeredMessage({ id: messageId, afterStep, text }: SteeredRow): SteeredMessage {
  return { messageId, afterStep: afterStep ?? 0, text };
}

/** Delivers the rest at the end of the turn, after its last step. Part of a fenced statement. */
export function unlessUndelivered(afterStep: number): SQL {
  return sql`update ${joinedMessages} set after_step = ${afterStep} from fence
    where ${joinedMessages.turnId} = fence.id and ${joinedMessages.afterStep} is null`;
}
