import { and, asc, inArray, isNotNull } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { writeKind } from '../../storage/write-kind.js';

/** A user's message that was steered into a running turn. */
export interface SteeredMessage {
  messageId: string;
  /** The client's own id of it; null or absent: none. */
  clientId?: string | null;
  /** The step after which it is delivered; 0: before the first. */
  afterStep: number;
  text: string;
}

export type SteeredRow = typeof steeredMessages.$inferSelect;

/** Delivered messages of these turns, in order. */
export async function loadDeliveredMessages(
  db: Queryable,
  turnIds: readonly string[],
): Promise<SteeredRow[]> {
  return db
    .select()
    .from(steeredMessages)
    .where(and(inArray(steeredMessages.turnId, [...turnIds]), isNotNull(steeredMessages.afterStep)))
    .orderBy(asc(steeredMessages.afterStep), asc(steeredMessages.position));
}

export function toSteeredMessage(row: SteeredRow): SteeredMessage {
  const { id: messageId, clientId, afterStep, text } = row;
  return { messageId, clientId, afterStep: afterStep ?? 0, text };
}

/** Delivers the rest at the end of the turn, after its last step. Part of a fenced statement. */
export const unlessUndelivered = writeKind(
  { afterStep: steeredMessages.afterStep },
  (given) => `update joined_messages set after_step = given."afterStep" from ${given} given
    where joined_messages.turn_id = given.fence_id and joined_messages.after_step is null`,
);
