import { asc, eq, inArray } from 'drizzle-orm';
import type { StoredPart } from '../attachments/stored-part.js';
import type { Queryable } from '../storage/connection.js';
import { messages, steps, toolCalls, turns } from '../storage/schema.js';
import type { TurnRow } from './turn-lookup.js';

export type StepRow = typeof steps.$inferSelect;
export type CallRow = typeof toolCalls.$inferSelect;

/** A turn as the model must see it: what was asked, what was answered, what the tools said. */
export interface StoredTurn {
  turn: TurnRow;
  userMessageId: string;
  userParts: StoredPart[];
  steps: StepRow[];
  calls: CallRow[];
}

/**
 * Every turn of a session, oldest first, in at most four queries.
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
  const stepRows =
    ranIds.length === 0
      ? []
      : await db.select().from(steps).where(inArray(steps.turnId, ranIds)).orderBy(asc(steps.step));
  const callRows =
    ranIds.length === 0
      ? []
      : await db.select().from(toolCalls).where(inArray(toolCalls.turnId, ranIds));
  return rows.map((turn) => {
    const asked = userMessages.find((row) => row.turnId === turn.id && row.role === 'user');
    return {
      turn,
      userMessageId: asked?.id ?? '',
      userParts: asked?.parts ?? [],
      steps: stepRows.filter((step) => step.turnId === turn.id),
      calls: callRows.filter((call) => call.turnId === turn.id),
    };
  });
}
