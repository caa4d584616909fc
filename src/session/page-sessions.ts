import { and, asc, desc, eq, gt, isNull, lte, ne, or, sql, type SQL } from 'drizzle-orm';
import { isId } from '../platform/ids.js';
import type { Queryable } from '../storage/connection.js';
import { sessions, turns } from '../storage/schema.js';
import type { SessionOrigin } from '../storage/shapes/stored-turn.js';
import { activeStatuses } from '../storage/shapes/stored-turn.js';

/** A place in a list of sessions: that of the session used at that time. */
export interface SessionPlace {
  /** In ms since the epoch. */
  usedAt: number;
  sessionId: string;
}

/** The page token of a list of sessions: the next page begins after that place. */
export interface SessionPageToken extends SessionPlace {
  /** The first place of the first page. Absent: a token of a version before. */
  first?: SessionPlace;
  /**
   * The next page has sessions that were used since the first one: the id of the last that was shown of them, empty
   * where there was none. Absent: it goes on in order.
   */
  moved?: string;
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
  after: SessionPlace | undefined;
  limit: number;
}

/** Sessions that were there at the place `first`, and were used since; by their ids, which stay. */
export interface MovedSessions extends SessionFilter {
  first: SessionPlace;
  /** An id; those after it. Empty: all. */
  afterId: string;
  limit: number;
}

/** A session of its own: neither a subagent's nor that of a replay. */
export const isListed = and(isNull(sessions.parentTurnId), isNull(sessions.replayOf));

/** Characters of the first turn's request that a title is made of: the request may be megabytes. */
const HEAD_CHARS = 1_000;

const position = sql`(${sessions.updatedAt}, ${sessions.id})`;

const placeOf = ({ usedAt, sessionId }: SessionPlace): SQL =>
  sql`(${new Date(usedAt).toISOString()}::timestamptz, ${sessionId}::text)`;

/**
 * Loads a page of a principal's sessions of all folders, the last used first, without those of
 * subagents and replays. The index `sessions_by_use` serves it, however many sessions others have.
 *
 * A session that is used between two pages moves to the first page: `movedSessions` has it.
 */
export function pageSessions(
  db: Queryable,
  principalId: string,
  { after, limit, ...filter }: SessionPage,
) {
  return selectSessions(db)
    .where(and(isWanted(principalId, filter), after && sql`${position} < ${placeOf(after)}`))
    .orderBy(desc(sessions.updatedAt), desc(sessions.id))
    .limit(limit);
}

/** Loads sessions that moved to the first page, or within it, since it was shown. */
export function movedSessions(
  db: Queryable,
  principalId: string,
  { first, afterId, limit, ...filter }: MovedSessions,
) {
  const isMoved = sql`${position} > ${placeOf(first)}`;
  const wasThere = lte(sessions.createdAt, new Date(first.usedAt));
  return selectSessions(db)
    .where(and(isWanted(principalId, filter), isMoved, wasThere, gt(sessions.id, afterId)))
    .orderBy(asc(sessions.id))
    .limit(limit);
}

function selectSessions(db: Queryable) {
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
  return db.select({ ...shown, ...beside }).from(sessions);
}

function isWanted(
  principalId: string,
  { origin: wire, scheduled = 'show', search, only }: SessionFilter,
): SQL | undefined {
  const { id, origin } = sessions;
  return and(
    eq(sessions.principalId, principalId),
    isListed,
    only === undefined ? undefined : eq(id, only),
    wire === undefined ? undefined : eq(origin, wire),
    scheduled === 'hide' ? ne(origin, 'schedules') : undefined,
    scheduled === 'only' ? eq(origin, 'schedules') : undefined,
    search === undefined ? undefined : hasWords(search),
  );
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

/** The place of a session of a page. */
export function placeOfSession({ id, updatedAt }: PagedSession): SessionPlace {
  return { usedAt: updatedAt.getTime(), sessionId: id };
}

/** Places as `<ms>:<session id>`, and what was shown of moved sessions, with dots between them. */
export function formatPageToken({ first, moved, ...place }: SessionPageToken): string {
  const places = [place, ...(first === undefined ? [] : [first])];
  const texts = places.map(({ usedAt, sessionId }) => `${usedAt}:${sessionId}`);
  return [...texts, ...(moved === undefined ? [] : [moved])].join('.');
}

/** @returns undefined for anything but a page token. */
export function parsePageToken(given: unknown): SessionPageToken | undefined {
  if (typeof given !== 'string') return undefined;
  const [last = '', before, moved, ...rest] = given.split('.');
  const [place, first] = [parsePlace(last), before === undefined ? undefined : parsePlace(before)];
  if (place === undefined || rest.length > 0) return undefined;
  if (before === undefined) return place;
  if (first === undefined) return undefined;
  if (moved === undefined) return { ...place, first };
  return moved === '' || isId('sess', moved) ? { ...place, first, moved } : undefined;
}

function parsePlace(text: string): SessionPlace | undefined {
  const [, usedAt, sessionId] = /^(\d{1,13}):(.{1,64})$/.exec(text) ?? [];
  if (usedAt === undefined || sessionId === undefined || !isId('sess', sessionId)) return undefined;
  return { usedAt: Number(usedAt), sessionId };
}
