import { and, count, eq, inArray, isNull, sql } from 'drizzle-orm';
import { newId } from '../../platform/ids.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import type { Database } from '../../storage/connection.js';
import { joinedMessages } from '../../storage/governance-schema.js';
import { activeStatuses } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';

export interface NewMessage {
  sessionId: string;
  text: string;
  requestHash: string;
  idempotencyKey: string | undefined;
  now: Date;
}

export type Joining =
  | { type: 'joined'; turnId: string; messageId: string }
  /** No turn is active that could still hear it. */
  | { type: 'nobody' }
  | { type: 'key-taken' }
  | { type: 'full' };

/**
 * Adds a message to the active turn of a session. The turn's row is locked and counts it: an end
 * that has not heard it is not stored (see `storeWrites`).
 *
 * @param most messages that may wait to be heard.
 */
export async function storeSteeredMessage(
  db: Database,
  message: NewMessage,
  most: number,
): Promise<Joining> {
  const { sessionId, text, requestHash, idempotencyKey = null, now } = message;
  try {
    return await db.transaction(async (tx): Promise<Joining> => {
      const [active] = await tx
        .select({ id: turns.id, joined: turns.joinedMessages })
        .from(turns)
        .where(
          and(
            eq(turns.sessionId, sessionId),
            inArray(turns.status, [...activeStatuses]),
            isNull(turns.cancelRequestedAt),
          ),
        )
        .for('update');
      if (active === undefined) return { type: 'nobody' };
      const [unheard] = await tx
        .select({ messages: count() })
        .from(joinedMessages)
        .where(and(eq(joinedMessages.turnId, active.id), isNull(joinedMessages.afterStep)));
      if ((unheard?.messages ?? 0) >= most) return { type: 'full' };
      const id = newId('msg');
      const position = active.joined + 1;
      const row = { id, sessionId, turnId: active.id, position, text };
      await tx
        .insert(joinedMessages)
        .values({ ...row, requestHash, idempotencyKey, createdAt: now });
      await tx
        .update(turns)
        .set({ joinedMessages: sql`${turns.joinedMessages} + 1` })
        .where(eq(turns.id, active.id));
      return { type: 'joined', turnId: active.id, messageId: id };
    });
  } catch (error) {
    if (violatedConstraint(error) !== KEY_CONSTRAINT) throw error;
    return { type: 'key-taken' };
  }
}

const KEY_CONSTRAINT = 'joined_messages_session_id_idempotency_key_key';

/** The message that came with a key before. */
export async function findSteeredByKey(db: Database, sessionId: string, idempotencyKey: string) {
  const [message] = await db
    .select()
    .from(joinedMessages)
    .where(
      and(
        eq(joinedMessages.sessionId, sessionId),
        eq(joinedMessages.idempotencyKey, idempotencyKey),
      ),
    );
  return message;
}
