import type { ListedTurnDto, SupersededChoice } from './history.dto.js';
import { and, desc, eq, isNull, sql, type SQL, asc } from 'drizzle-orm';
import type { Queryable } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import type { TurnOutcome } from '../../events/turn-event.js';
import { viewBranch } from '../turn-record.dto.js';
import { unendedStatuses, type TurnStatus } from '../../storage/shapes/stored-turn.js';

export interface TurnListPage {
  after: string | undefined;
  limit: number;
  /** Default: hide. */
  superseded?: SupersededChoice;
}

const { id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt } = turns;
const { replaces, supersededBy, copiedFrom } = turns;
const run = { id, status, attempt, options, usage, endReason, createdAt, startedAt, endedAt };
/** A turn without what was asked. */
export const listedColumns = { ...run, replaces, supersededBy, copiedFrom };

/** Whether a turn comes after another one in a list whose first is the newest; undefined: from the newest. */
export function isOlderThan(turnId: string | undefined): SQL | undefined {
  if (turnId === undefined) return undefined;
  return sql`(${turns.createdAt}, ${turns.id}) < (
    select one.created_at, one.id from ${turns} one where one.id = ${turnId})`;
}

/**
 * Turns of a session, the newest first, without what was asked: that may be large. The index
 * `turns_by_session`, read backwards, serves it.
 *
 * @param after the last turn of the page before; undefined: from the newest.
 */
export function listTurns(
  db: Queryable,
  sessionId: string,
  { after, limit, superseded = 'hide' }: TurnListPage,
) {
  return db
    .select(listedColumns)
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        superseded === 'hide' ? isNull(turns.supersededBy) : undefined,
        isOlderThan(after),
      ),
    )
    .orderBy(desc(turns.createdAt), desc(turns.id))
    .limit(limit);
}

export type ListedTurn = Awaited<ReturnType<typeof listTurns>>[number];

export interface PlacedTurn {
  id: string;
  /** A summary stands for it when the model is called. */
  isSummarised: boolean;
}

export interface TurnPage {
  /** The last turn of the page before; undefined: from the first. */
  after: string | undefined;
  limit: number;
  /** Default: hide. */
  superseded?: SupersededChoice;
  /** The last turn a summary stands for; undefined where there is none. */
  summarisedThrough: string | undefined;
}

/** Turns of one millisecond have an order too: two pages neither share a turn nor lose one. */
const sortKey = sql`(${turns.createdAt}, ${turns.id})`;
const sortKeyOf = (turnId: string) =>
  sql`(select one.created_at, one.id from ${turns} one where one.id = ${turnId})`;

/** The turns of a session that a page has, oldest first. Only their rows are loaded, no parts. */
export async function pageTurns(
  db: Queryable,
  sessionId: string,
  { after, limit, summarisedThrough, superseded = 'hide' }: TurnPage,
): Promise<PlacedTurn[]> {
  const isSummarised =
    summarisedThrough === undefined
      ? sql<boolean>`false`
      : sql<boolean>`coalesce(${sortKey} <= ${sortKeyOf(summarisedThrough)}, false)`;
  return db
    .select({ id: turns.id, isSummarised })
    .from(turns)
    .where(
      and(
        eq(turns.sessionId, sessionId),
        superseded === 'hide' ? isNull(turns.supersededBy) : undefined,
        after === undefined ? undefined : sql`${sortKey} > ${sortKeyOf(after)}`,
      ),
    )
    .orderBy(asc(turns.createdAt), asc(turns.id))
    .limit(limit);
}

export async function isTurnOf(db: Queryable, sessionId: string, turnId: string): Promise<boolean> {
  const found = await db
    .select({ id: turns.id })
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.id, turnId)));
  return found.length > 0;
}

export function viewListedTurn(turn: ListedTurn): ListedTurnDto {
  const { model, persona } = turn.options.options;
  return {
    turnId: turn.id,
    status: turn.status,
    attempt: turn.attempt,
    model,
    persona,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    endedAt: turn.endedAt?.toISOString() ?? null,
    usage: turn.usage,
    outcome: hasEnded(turn.status) ? turn.status : null,
    reason: turn.endReason,
    ...viewBranch(turn),
  };
}

/** Whether the status is final. */
export function hasEnded(status: TurnStatus): status is TurnOutcome {
  return !unendedStatuses.some((one) => one === status);
}
