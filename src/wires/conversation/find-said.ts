import { and, desc, eq, isNull, or, sql } from 'drizzle-orm';
import type { Database } from '../../storage/connection.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import { messages } from '../../storage/transcript-schema.js';

/** Messages of a client's list, by the ids that it has for them. */
export interface SaidOnce {
  sessionId: string;
  /** The user's message; undefined: it has no id. */
  userId: string | undefined;
  /** The answer to it; undefined: the client does not name it. */
  answerId: string | undefined;
}

/**
 * Finds the turn of the conversation that a message of the user began, by the id of the message or of its
 * answer; undefined where the server has none, as of a message that never came.
 */
export async function findSaid(
  db: Database,
  { sessionId, userId, answerId }: SaidOnce,
): Promise<string | undefined> {
  const byUser = and(eq(messages.role, 'user'), eq(messages.id, userId ?? ''));
  // JSON is compared as it is stored: what a message says may have characters that no text has.
  const byClient = sql`(${turns.request} -> 'clientMessageId')::text = ${JSON.stringify(userId ?? '')}`;
  const byAnswer = eq(turns.id, (answerId ?? '').replace(/^msg_/, 'turn_'));
  const [found] = await db
    .select({ id: turns.id })
    .from(turns)
    .leftJoin(messages, and(eq(messages.turnId, turns.id), byUser))
    .where(
      and(
        eq(turns.sessionId, sessionId),
        isNull(turns.supersededBy),
        or(eq(messages.id, userId ?? ''), byClient, byAnswer),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(1);
  return found?.id;
}

/** A message that has no turn of its own: it was steered into one. */
export interface SaidInTurn {
  turnId: string;
  /** The client's id of the message that began the turn, or the server's. */
  firstId: string;
}

/**
 * Finds the turn that a message of the user was steered into, by the id of the message or of its answer;
 * undefined where it was not.
 */
export async function findSaidInTurn(
  db: Database,
  { sessionId, userId, answerId }: SaidOnce,
): Promise<SaidInTurn | undefined> {
  const { id, turnId, clientId } = steeredMessages;
  const answered = answerId?.split(':')[1] ?? '';
  const byClient = sql`${clientId}::text = ${JSON.stringify(userId ?? '')}`;
  const [found] = await db
    .select({ turnId, request: turns.request, messageId: messages.id })
    .from(steeredMessages)
    .innerJoin(turns, eq(turns.id, turnId))
    .innerJoin(messages, and(eq(messages.turnId, turnId), eq(messages.role, 'user')))
    .where(
      and(
        eq(steeredMessages.sessionId, sessionId),
        isNull(turns.supersededBy),
        or(eq(id, userId ?? ''), eq(id, answered), byClient),
      ),
    )
    .limit(1);
  if (found === undefined) return undefined;
  const { request, messageId } = found;
  return { turnId: found.turnId, firstId: request.clientMessageId ?? messageId };
}
