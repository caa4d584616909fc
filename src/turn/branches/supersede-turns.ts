import { asc, eq, inArray, sql, and, desc } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { compactions, todos, sessions, turns } from '../../storage/schema.js';
import { turnInProgress, turnNotInSession, turnSuperseded } from '../state/turn-errors.js';
import { parseTodos } from '../../tools/builtin/todo-write.js';
import { compact } from '../../platform/compact.js';
import { isPlainObject } from '../../platform/json.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { steps, toolCalls } from '../../storage/transcript-schema.js';
import { todoWriteTool } from '../../tools/builtin/todo-write.js';

export interface Replacing {
  /** The new turn, which is stored and has the session's lock. */
  id: string;
  sessionId: string;
  replaces: string;
  /** Turns that were stored with it, and stand before it. Absent: none. */
  clientTurnIds?: readonly string[];
  now: Date;
}

const { id, createdAt, endedAt, supersededBy } = turns;

/**
 * Gives a new turn the place of another: that turn, and all that follow it, are superseded by it. They stay
 * readable; later requests do not have them. What the session knows is as the turns before left it: its
 * todos, and its summaries.
 *
 * Part of the transaction that stores the new turn: nothing else begins in the session meanwhile.
 *
 * @throws TypedError TURN_NOT_FOUND 404, TURN_SUPERSEDED 409, TURN_IN_PROGRESS 409 where a turn of the
 *   session has not ended.
 */
export async function supersedeTurns(tx: Queryable, turn: Replacing): Promise<void> {
  const { sessionId, replaces, now, clientTurnIds = [] } = turn;
  const found = await tx
    .select({ id, createdAt, endedAt, supersededBy })
    .from(turns)
    .where(eq(turns.sessionId, sessionId))
    .orderBy(asc(createdAt), asc(id));
  const others = found.filter((other) => other.id !== turn.id && !clientTurnIds.includes(other.id));
  const at = others.findIndex((other) => other.id === replaces);
  const replaced = others[at];
  if (replaced === undefined) throw turnNotInSession(replaces, sessionId);
  if (replaced.supersededBy !== null) throw turnSuperseded(replaces, replaced.supersededBy);
  if (others.some((other) => other.endedAt === null)) throw turnInProgress(sessionId);
  const active = (some: typeof others): string[] =>
    some.flatMap((other) => (other.supersededBy === null ? [other.id] : []));
  const [kept, dropped] = [active(others.slice(0, at)), active(others.slice(at))];
  await tx
    .update(turns)
    .set({
      supersededBy: turn.id,
      // The version before knows this column alone.
      leftOut: sql`coalesce(${turns.leftOut}, 'superseded')`,
    })
    .where(inArray(id, dropped));
  await tx.update(turns).set({ replaces }).where(eq(id, turn.id));
  await tx.delete(compactions).where(inArray(compactions.throughTurnId, dropped));
  await restoreTodos(tx, { sessionId, kept, now });
  await restorePrefix(tx, { sessionId, kept, dropped });
}

async function restoreTodos(
  tx: Queryable,
  { sessionId, kept, now }: { sessionId: string; kept: readonly string[]; now: Date },
): Promise<void> {
  const items = await todosAsOf(tx, kept);
  await tx.delete(todos).where(eq(todos.sessionId, sessionId));
  if (items !== undefined) await tx.insert(todos).values({ sessionId, items, updatedAt: now });
}

async function restorePrefix(
  tx: Queryable,
  {
    sessionId,
    ...line
  }: { sessionId: string; kept: readonly string[]; dropped: readonly string[] },
): Promise<void> {
  const [session] = await tx
    .select({ prefix: sessions.prefix })
    .from(sessions)
    .where(eq(sessions.id, sessionId));
  const prefix = await prefixAsOf(tx, session?.prefix ?? null, line);
  await tx.update(sessions).set({ prefix, headTurnId: null }).where(eq(sessions.id, sessionId));
}

/** The todo list as the last of some turns left it; undefined: none of them wrote one. */
export async function todosAsOf(
  db: Queryable,
  turnIds: readonly string[],
): Promise<Todo[] | undefined> {
  if (turnIds.length === 0) return undefined;
  const [last] = await db
    .select({ input: toolCalls.input })
    .from(toolCalls)
    .innerJoin(turns, eq(turns.id, toolCalls.turnId))
    .where(
      and(
        inArray(toolCalls.turnId, [...turnIds]),
        eq(toolCalls.name, todoWriteTool.name),
        eq(toolCalls.status, 'success'),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id), desc(toolCalls.step), desc(toolCalls.endedAt))
    .limit(1);
  if (last === undefined || !isPlainObject(last.input)) return undefined;
  const parsed = parseTodos(last.input['todos']);
  return 'todos' in parsed ? parsed.todos : undefined;
}

/**
 * The prefix of a session's requests for a part of its turns. What these announced, the next turn reads of their
 * notices.
 *
 * @param kept turns that the requests will contain.
 * @param dropped turns that they contain no longer.
 */
export async function prefixAsOf(
  db: Queryable,
  prefix: RequestPrefix | null,
  { kept, dropped }: { kept: readonly string[]; dropped: readonly string[] },
): Promise<RequestPrefix | null> {
  if (prefix === null || dropped.length === 0) return prefix;
  const thinking = await thinkingAsOf(db, prefix.thinkingAfter, { kept, dropped });
  if (thinking === prefix.thinkingAfter) return prefix;
  const { thinkingAfter: _dropped, ...rest } = prefix;
  return { ...rest, ...compact({ thinkingAfter: thinking }) };
}

/** Gives the step up to which thinking is left out: the last kept step, if the earlier one is dropped. */
async function thinkingAsOf(
  db: Queryable,
  after: string | undefined,
  { kept, dropped }: { kept: readonly string[]; dropped: readonly string[] },
): Promise<string | undefined> {
  const turnId = after?.split(':', 1)[0];
  if (turnId === undefined || !dropped.includes(turnId) || kept.length === 0) return after;
  const [last] = await db
    .select({ turnId: steps.turnId, step: steps.step })
    .from(steps)
    .innerJoin(turns, eq(turns.id, steps.turnId))
    .where(inArray(steps.turnId, [...kept]))
    .orderBy(desc(turns.createdAt), desc(turns.id), desc(steps.step))
    .limit(1);
  return last === undefined ? undefined : `${last.turnId}:${last.step}`;
}
