import { asc, eq, inArray } from 'drizzle-orm';
import type { StoredPart } from '../attachments/stored-part.js';
import type { Queryable } from '../storage/connection.js';
import { messages, notices, steps, toolCalls, turns } from '../storage/schema.js';
import type { TurnRow } from './turn-lookup.js';

export type StepRow = typeof steps.$inferSelect;
export type NoticeRow = typeof notices.$inferSelect;
export type CallRow = typeof toolCalls.$inferSelect;

/** A turn as the model must see it: what was asked, what was answered, what the tools said. */
export interface StoredTurn {
  turn: TurnRow;
  userMessageId: string;
  userParts: StoredPart[];
  steps: StepRow[];
  calls: CallRow[];
  /** In the order they were said. */
  notices: NoticeRow[];
}

/**
 * Every turn of a session, oldest first, in at most five queries.
 *
 * @param unstarted a turn that is known to have no steps yet.
 */
export async function loadSessionTurns(
  db: Queryable,
  sessionId: string,
  unstarted?: string,
): Promise<StoredTurn[]> {
  const rows = await db
    .select()
    .from(turns)
    .where(eq(turns.sessionId, sessionId))
    .orderBy(asc(turns.createdAt), asc(turns.id));
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return [];
  const userMessages = await db.select().from(messages).where(inArray(messages.turnId, ids));
  const ranIds = ids.filter((id) => id !== unstarted);
  const { stepRows, callRows, noticeRows } = await loadWhatRan(db, ranIds);
  return rows.map((turn) => {
    const asked = userMessages.find((row) => row.turnId === turn.id && row.role === 'user');
    return {
      turn,
      userMessageId: asked?.id ?? '',
      userParts: asked?.parts ?? [],
      steps: stepRows.filter((step) => step.turnId === turn.id),
      calls: callRows.filter((call) => call.turnId === turn.id),
      notices: noticeRows.filter((notice) => notice.turnId === turn.id),
    };
  });
}

async function loadWhatRan(db: Queryable, turnIds: readonly string[]) {
  if (turnIds.length === 0) return { stepRows: [], callRows: [], noticeRows: [] };
  const ids = [...turnIds];
  const [stepRows, callRows, noticeRows] = await Promise.all([
    db.select().from(steps).where(inArray(steps.turnId, ids)).orderBy(asc(steps.step)),
    db.select().from(toolCalls).where(inArray(toolCalls.turnId, ids)),
    db
      .select()
      .from(notices)
      .where(inArray(notices.turnId, ids))
      .orderBy(asc(notices.afterStep), asc(notices.position)),
  ]);
  return { stepRows, callRows, noticeRows };
}

/** One turn with all that it did. */
export async function loadTurn(db: Queryable, turn: TurnRow): Promise<StoredTurn> {
  const asked = await db.select().from(messages).where(eq(messages.turnId, turn.id));
  const { stepRows, callRows, noticeRows } = await loadWhatRan(db, [turn.id]);
  const user = asked.find((row) => row.role === 'user');
  return {
    turn,
    userMessageId: user?.id ?? '',
    userParts: user?.parts ?? [],
    steps: stepRows,
    calls: callRows,
    notices: noticeRows,
  };
}
