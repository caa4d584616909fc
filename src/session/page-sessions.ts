import { and, desc, eq, isNull, ne, or, sql, type SQL } from 'drizzle-orm';
import { isId } from '../platform/ids.js';
import type { Queryable } from '../storage/connection.js';
import { sessions, turns, type SessionOrigin } from '../storage/schema.js';
import { activeStatuses } from '../storage/shapes/stored-turn.js';

/**
 * The page token of a list of sessions: the next page begins after the session used at that time.
 */
export interface SessionPageToken {
  /** In ms since the epoch. */
  usedAt: number;
  sessionId: string;
}

/** Which sessions a list has. */
export interface SessionFilter {
  /** The wire that created them; absent: any. */
  origin?: SessionOrigin | undefined;
  /** Sessions that schedules made: with the others, not, or alone. Default: show. */
  scheduled?: 'show' | 'hide' | 'only' | undefined;
  /** Words of the title, of the first message or of the folder; absent: any. */
  search?: string | undefined;
  /** The one session that the caller may see; absent: all. */
  only?: string | undefined;
}

export interface SessionPage extends SessionFilter {
  after: SessionPageToken | undefined;
  limit: number;
}

/** A session of its own: neither a subagent's nor that of a replay. */
export const isListed = and(isNull(sessions.parentTurnId), isNull(sessions.replayOf));

/** Characters of the first turn's request that a title is made of: the request may be megabytes. */
const HEAD_CHARS = 1_000;

/**
 * Loads a page of a principal's sessions of all folders, the last used first, without those of
 * subagents and replays. The index `sessions_by_use` serves it, however many sessions others have.
 *
 * A session that is used between two pages moves to the first page.
 */
export function pageSessions(
  db: Queryable,
  principalId: string,
  { after, limit, origin: wire, scheduled = 'show', search, only }: SessionPage,
) {
  const position = sql`(${sessions.updatedAt}, ${sessions.id})`;
  const { id, projectRoot, persona, mode, origin, clientName, title } = sessions;
  const { forkedFrom, createdAt, updatedAt } = sessions;
  const shown = {
    id,
    projectRoot,
    persona,
    mode,
    origin,
    clientName,
    title,
    forkedFrom,
    createdAt,
    updatedAt,
  };
  return db
    .select({ ...shown, ...beside })
    .from(sessions)
    .where(
      and(
        eq(sessions.principalId, principalId),
        isListed,
        only === undefined ? undefined : eq(id, only),
        wire === undefined ? undefined : eq(origin, wire),
        scheduled === 'hide' ? ne(origin, 'schedules') : undefined,
        scheduled === 'only' ? eq(origin, 'schedules') : undefined,
        search === undefined ? undefined : hasWords(search),
        after === undefined
          ? undefined
          : sql`${position} < (${new Date(after.usedAt).toISOString()}::timestamptz, ${after.sessionId}::text)`,
      ),
    )
    .orderBy(desc(sessions.updatedAt), desc(sessions.id))
    .limit(limit);
}

export type PagedSession = Awaited<ReturnType<typeof pageSessions>>[number];

/** Literals, not parameters, so that the planner chooses the index of active turns. */
const statuses = sql.raw(activeStatuses.map((status) => `'${status}'`).join(', '));

/**
 * The head of a session's first request, which its title is made of; an index of its turns serves it. The message
 * stays JSON: it may have characters that the database refuses in text.
 */
export const firstRequest = sql<string | null>`(
    select left(first.request::text, ${sql.raw(String(HEAD_CHARS))}) from ${turns} first
    where first.session_id = ${sessions}.id and first.superseded_by is null
    order by first.created_at, first.id limit 1)`;

/** Columns that are looked up for each session of the page, by indexes of its turns. */
const beside = {
  activeTurnId: sql<string | null>`(
    select active.id from ${turns} active
    where active.session_id = ${sessions}.id and active.status in (${statuses}))`,
  firstRequest,
};

/** Whether a session's title, first message or folder has a text, in capitals or not. */
function hasWords(text: string): SQL | undefined {
  const has = (where: SQL, what: string): SQL =>
    sql`strpos(lower(${where}), lower(${what}::text)) > 0`;
  // The message is JSON: what is looked for is written as it is in there.
  const written = JSON.stringify(text).slice(1, -1);
  return or(
    has(sql`${sessions.title}`, text),
    has(sql`${sessions.projectRoot}`, text),
    has(
      sql`(select (first.request -> 'message')::text from ${turns} first
        where first.session_id = ${sessions}.id and first.superseded_by is null
        order by first.created_at, first.id limit 1)`,
      written,
    ),
  );
}

/** The page token after a session, `<ms>:<session id>`. */
export function formatPageToken({ id, updatedAt }: PagedSession): string {
  return `${updatedAt.getTime()}:${id}`;
}

/** @returns undefined for anything but a page token. */
export function parsePageToken(given: unknown): SessionPageToken | undefined {
  const parts = typeof given === 'string' ? /^(\d{1,13}):(.{1,64})$/.exec(given) : null;
  const [, usedAt, sessionId] = parts ?? [];
  if (usedAt === undefined || sessionId === undefined || !isId('sess', sessionId)) return undefined;
  return { usedAt: Number(usedAt), sessionId };
}
