import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { isId } from '../platform/ids.js';
import type { Queryable } from '../storage/connection.js';
import { activeStatuses } from '../storage/shapes/stored-turn.js';
import { sessions, turns } from '../storage/schema.js';

/** A place in a list of sessions: after the one that was used at that time. */
export interface SessionPlace {
  /** In ms since the epoch. */
  usedAt: number;
  sessionId: string;
}

/** Characters of the first turn's request that are read for a title: it may be megabytes. */
const HEAD_CHARS = 1_000;

/**
 * A principal's sessions of all folders, the one used last first; those of subagents are in no list.
 * The index `sessions_by_use` serves it, whatever others have.
 *
 * One that is used between two pages is on the first page from then on, and on no later one.
 */
export function pageSessions(
  db: Queryable,
  principalId: string,
  { after, limit }: { after: SessionPlace | undefined; limit: number },
) {
  const place = sql`(${sessions.updatedAt}, ${sessions.id})`;
  const { id, projectRoot, persona, mode, origin, createdAt, updatedAt } = sessions;
  return db
    .select({ id, projectRoot, persona, mode, origin, createdAt, updatedAt, ...beside })
    .from(sessions)
    .where(
      and(
        eq(sessions.principalId, principalId),
        isNull(sessions.parentTurnId),
        after === undefined
          ? undefined
          : sql`${place} < (${new Date(after.usedAt).toISOString()}::timestamptz, ${after.sessionId}::text)`,
      ),
    )
    .orderBy(desc(sessions.updatedAt), desc(sessions.id))
    .limit(limit);
}

export type PagedSession = Awaited<ReturnType<typeof pageSessions>>[number];

/** Written out, not as parameters: the planner is to see that the index of active turns has them. */
const statuses = sql.raw(activeStatuses.map((status) => `'${status}'`).join(', '));

/** What is looked up for each session of the page, by an index of its turns each. */
const beside = {
  activeTurnId: sql<string | null>`(
    select active.id from ${turns} active
    where active.session_id = ${sessions}.id and active.status in (${statuses}))`,
  /** As text: what it says may hold characters that the database takes in no text. */
  firstRequest: sql<string | null>`(
    select left(first.request::text, ${sql.raw(String(HEAD_CHARS))}) from ${turns} first
    where first.session_id = ${sessions}.id order by first.created_at, first.id limit 1)`,
};

/** The cursor of a place, `<ms>:<session id>`. */
export function formatSessionPlace({ id, updatedAt }: PagedSession): string {
  return `${updatedAt.getTime()}:${id}`;
}

/** Undefined for what is no cursor. */
export function parseSessionPlace(cursor: unknown): SessionPlace | undefined {
  const parts = typeof cursor === 'string' ? /^(\d{1,13}):(.{1,64})$/.exec(cursor) : null;
  const [, usedAt, sessionId] = parts ?? [];
  if (usedAt === undefined || sessionId === undefined || !isId('sess', sessionId)) return undefined;
  return { usedAt: Number(usedAt), sessionId };
}
