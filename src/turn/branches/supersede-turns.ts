import { asc, eq, inArray, sql } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { compactions, todos, sessions, turns } from '../../storage/schema.js';
import { turnInProgress, turnNotInSession, turnSuperseded } from '../state/turn-errors.js';
import { prefixAsOf, todosAsOf } from './as-of.js';

export interface Replacing {
  /** The new turn, which is stored and has the session's lock. */
  id: string;
  sessionId: string;
  replaces: string;
  /** Turns that were stored with it, and stand before it. Absent: none. */
  told?: readonly string[];
  now: Date;
}

const { id, createdAt, endedAt, supersededBy } = turns;

/**
 * Gives a new turn the place of another: that turn, and all that follow it, are superseded by it. They stay
 * readable; later requests do not have them. What the session knows is as the turns before left it: its
 * todos, its summaries, and the state that its requests announced.
 *
 * Part of the transaction that stores the new turn: nothing else begins in the session meanwhile.
 *
 * @throws TypedError TURN_NOT_FOUND 404, TURN_SUPERSEDED 409, TURN_IN_PROGRESS 409 where a turn of the
 *   session has not ended.
 */
export async function supersedeTurns(tx: Queryable, turn: Replacing): Promise<void> {
  const { sessionId, replaces, now, told = [] } = turn;
  const found = await tx
    .select({ id, createdAt, endedAt, supersededBy })
    .from(turns)
    .where(eq(turns.sessionId, sessionId))
    .orderBy(asc(createdAt), asc(id));
  const others = found.filter((other) => other.id !== turn.id && !told.includes(other.id));
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
  if (prefix === session?.prefix) return;
  await tx.update(sessions).set({ prefix }).where(eq(sessions.id, sessionId));
}
