import { type SQL, and, asc, between, eq, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { messages, steps, toolCalls } from '../../storage/transcript-schema.js';
import { turns, notices } from '../../storage/schema.js';
import type { TurnRow } from './turn-row.js';
import {
  loadDeliveredMessages,
  toSteeredMessage,
  type SteeredRow,
  type StepRow,
  type StoredTurn,
} from './stored-turn.js';

/**
 * The turns of a session that its conversation consists of, oldest first, in at most five queries.
 */
export async function loadSessionTurns(db: Queryable, sessionId: string): Promise<StoredTurn[]> {
  const rows = await inOrder(
    db,
    and(eq(turns.sessionId, sessionId), isNull(turns.supersededBy)) ?? sql`false`,
  );
  return withContent(db, rows);
}

/** A turn with those that it followed, oldest first: also of one that is superseded. */
export async function loadHistoryOf(db: Queryable, turn: TurnRow): Promise<StoredTurn[]> {
  const rows = await inOrder(db, eq(turns.sessionId, turn.sessionId));
  return withContent(db, [...(historyBefore(rows, turn.id) ?? []), turn]);
}

/** Loads turns, oldest first, in at most five queries. */
export async function loadTurns(db: Queryable, turnIds: readonly string[]): Promise<StoredTurn[]> {
  if (turnIds.length === 0) return [];
  return withContent(db, await inOrder(db, inArray(turns.id, [...turnIds])));
}

function inOrder(db: Queryable, which: SQL): Promise<TurnRow[]> {
  return db.select().from(turns).where(which).orderBy(asc(turns.createdAt), asc(turns.id));
}

async function withContent(db: Queryable, rows: readonly TurnRow[]): Promise<StoredTurn[]> {
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return [];
  const userMessages = await db.select().from(messages).where(inArray(messages.turnId, ids));
  const { stepRows, callRows, noticeRows } = await loadWhatRan(db, ids);
  const steeredRows = await loadSteered(db, rows);
  return rows.map((turn) => {
    const asked = userMessages.find((row) => row.turnId === turn.id && row.role === 'user');
    return {
      turn,
      userMessageId: asked?.id ?? '',
      userParts: asked?.parts ?? [],
      steps: stepRows.filter((step) => step.turnId === turn.id),
      calls: callRows.filter((call) => call.turnId === turn.id),
      notices: noticeRows.filter((notice) => notice.turnId === turn.id),
      steered: steeredRows.filter((row) => row.turnId === turn.id).map(toSteeredMessage),
    };
  });
}

/** Steered messages are rare: the query is made only where there are some. */
async function loadSteered(db: Queryable, rows: readonly TurnRow[]): Promise<SteeredRow[]> {
  const ids = rows.filter(({ steeredMessages }) => steeredMessages > 0).map(({ id }) => id);
  return ids.length === 0 ? [] : loadDeliveredMessages(db, ids);
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

/** A turn with at most `limit` of its steps after the step `after`, and what belongs to these. */
export async function loadTurn(
  db: Queryable,
  turn: TurnRow,
  { after, limit }: { after: number; limit: number },
): Promise<StoredTurn> {
  const [user] = await db
    .select()
    .from(messages)
    .where(and(eq(messages.turnId, turn.id), eq(messages.role, 'user')));
  const found = await db
    .select()
    .from(steps)
    .where(and(eq(steps.turnId, turn.id), gt(steps.step, after)))
    .orderBy(asc(steps.step))
    .limit(limit);
  const asked = { turn, userMessageId: user?.id ?? '', userParts: user?.parts ?? [] };
  const steered = (await loadSteered(db, [turn])).map(toSteeredMessage);
  return { ...asked, steps: found, steered, ...(await loadBeside(db, turn.id, found)) };
}

async function loadBeside(db: Queryable, turnId: string, found: readonly StepRow[]) {
  const [first, last] = [found[0]?.step, found.at(-1)?.step];
  if (first === undefined || last === undefined) return { calls: [], notices: [] };
  const [calls, posted] = await Promise.all([
    db
      .select()
      .from(toolCalls)
      .where(and(eq(toolCalls.turnId, turnId), between(toolCalls.step, first, last))),
    db
      .select()
      .from(notices)
      .where(and(eq(notices.turnId, turnId), between(notices.afterStep, first, last)))
      .orderBy(asc(notices.afterStep), asc(notices.position)),
  ]);
  return { calls, notices: posted };
}

/** The facts of a turn that say which line of its conversation it is in. */
export interface BranchedTurn {
  id: string;
  supersededBy: string | null;
}

/**
 * The turns that a turn followed when it ran, oldest first: those before it, without what had been
 * superseded by then. A turn that is superseded itself keeps its own line. Pure.
 *
 * @param turns all turns of the session, oldest first.
 * @returns undefined where the turn is not among them.
 */
export function historyBefore<T extends BranchedTurn>(
  turns: readonly T[],
  turnId: string,
): T[] | undefined {
  const places = new Map(turns.map(({ id }, place) => [id, place]));
  const at = places.get(turnId);
  if (at === undefined) return undefined;
  const isIn = ({ supersededBy }: T): boolean =>
    supersededBy === null || (places.get(supersededBy) ?? turns.length) > at;
  return turns.slice(0, at).filter(isIn);
}

/**
 * The turns that a line knows nothing of: all others of the session, without those that a turn of the
 * line superseded, which was told of them. Pure.
 */
export function unseenBy<T extends BranchedTurn>(turns: readonly T[], line: readonly T[]): T[] {
  const inLine = new Set(line.map(({ id }) => id));
  return turns.filter(
    ({ id, supersededBy }) =>
      !inLine.has(id) && (supersededBy === null || !inLine.has(supersededBy)),
  );
}
