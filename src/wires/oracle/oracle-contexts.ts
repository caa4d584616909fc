import { and, desc, eq, inArray, isNull } from 'drizzle-orm';
import { isId } from '../../platform/face.js';
import { toSource } from '../../provider/face.js';
import { contextBefore, type MessageDto, type StoredTurn, viewMessages } from '../../turn/face.js';
import { activeStatuses, compactions, type Database, sessions, turns } from '../../storage/face.js';
import type { OracleSource } from './dialect/oracle-frames.js';
import type { HistoryMessageDto, OracleHistoryDto } from './oracle.dto.js';
import { toOracleSource } from './dialect/oracle-frames.js';

export const noHistory: OracleHistoryDto = {
  messages: [],
  session_id: null,
  compressed: false,
  token_count: 0,
};

/** A session's turns as `GET /api/oracle/history` has them. Pure. */
export function viewHistory(
  turns: readonly StoredTurn[],
): Pick<OracleHistoryDto, 'messages' | 'token_count'> {
  // This wire's messages are texts: an answer that has no step yet is left out.
  const begun = viewMessages(turns).filter(({ steps }) => steps?.length !== 0);
  const messages = begun.map((message) => {
    const turn = turns.find((stored) => stored.turn.id === message.turnId);
    return viewMessage(message, message.role === 'assistant' ? citedIn(turn) : []);
  });
  return { messages, token_count: contextBefore(turns) };
}

function viewMessage(message: MessageDto, sources: OracleSource[]): HistoryMessageDto {
  const { role, parts, createdAt: timestamp } = message;
  const content = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { role, content, timestamp, ...(sources.length === 0 ? {} : { sources }) };
}

function citedIn(turn: StoredTurn | undefined): OracleSource[] {
  const parts = turn?.steps.flatMap((step) => step.parts) ?? [];
  return parts.flatMap((part) =>
    part.type === 'text' ? (part.citations ?? []).map((one) => toOracleSource(toSource(one))) : [],
  );
}

/** Conversations of this wire, without the sessions of their subagents. */
const isContext = and(eq(sessions.origin, 'oracle'), isNull(sessions.parentTurnId));

/** The session of a principal's newest conversation. */
export async function findNewestContext(
  db: Database,
  principalId: string,
): Promise<string | undefined> {
  const [newest] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(isContext, eq(sessions.principalId, principalId)))
    .orderBy(desc(sessions.createdAt), desc(sessions.id))
    .limit(1);
  return newest?.id;
}

/** The session of the principal's running turn that began last. */
export async function findRunningContext(
  db: Database,
  { contextId, principalId }: { contextId: string | undefined; principalId: string },
): Promise<string | undefined> {
  // Text that is no id is the id of nothing.
  if (contextId !== undefined && !isId('sess', contextId)) return undefined;
  const wanted = contextId === undefined ? isContext : eq(sessions.id, contextId);
  const [running] = await db
    .select({ id: turns.sessionId })
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(
      and(
        inArray(turns.status, [...activeStatuses]),
        wanted,
        eq(sessions.principalId, principalId),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(1);
  return running?.id;
}

/** Whether a summary stands for a part of the conversation. */
export async function isCompressed(db: Database, sessionId: string): Promise<boolean> {
  const found = await db
    .select({ id: compactions.id })
    .from(compactions)
    .where(eq(compactions.sessionId, sessionId))
    .limit(1);
  return found.length > 0;
}
