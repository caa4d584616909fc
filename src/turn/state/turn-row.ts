import { and, count, eq, isNull, sql, type SQL } from 'drizzle-orm';
import type { StoredPreferences } from '../../options/preferences.js';
import { Batcher } from '../../platform/async/batcher.js';
import { isId } from '../../platform/ids.js';
import { sessionNotFound } from '../../session/session-errors.js';
import { sessionColumns, type SessionRow } from '../../session/session-store.js';
import { batchPool, ofDatabase, prepared } from '../../storage/statements.js';
import type { Database } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import {
  activeStatuses,
  unendedStatuses,
  type CancelReason,
  type StoredRequest,
  type TurnStatus,
} from '../../storage/shapes/stored-turn.js';
import { sessions, turns, userPreferences } from '../../storage/schema.js';
import type {
  OptionResolution,
  PermissionLayer,
  SubagentDecision,
} from '../../storage/shapes/stored-options.js';
import { turnNotFound } from './turn-errors.js';

export type TurnRow = typeof turns.$inferSelect;

/** @throws TypedError TURN_NOT_FOUND 404, also for text that is no turn's id. */
export async function getTurn(db: Database, turnId: string): Promise<TurnRow> {
  const [turn] = isId('turn', turnId)
    ? await db.select().from(turns).where(eq(turns.id, turnId))
    : [];
  if (turn === undefined) throw turnNotFound(turnId);
  return turn;
}

/** The turn that has the session's lock, if any. */
export async function findActiveTurn(
  db: Database,
  sessionId: string,
): Promise<TurnRow | undefined> {
  const [turn] = await db
    .select()
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), hasStatus(...activeStatuses)));
  return turn;
}

/** Counts the sessions that have an active turn. */
export async function countActiveSessions(db: Database): Promise<number> {
  const [found] = await db
    .select({ active: count() })
    .from(turns)
    .where(hasStatus(...activeStatuses));
  return found?.active ?? 0;
}

const selectSessionAndTurn = prepared('session_and_turn', (db, name) =>
  db
    .select({
      session: sessionColumns,
      turnId: turns.id,
      preferences: userPreferences.settings,
    })
    .from(sessions)
    .leftJoin(userPreferences, eq(userPreferences.userId, sessions.principalId))
    .leftJoin(turns, and(eq(turns.sessionId, sessions.id), hasStatus(...unendedStatuses)))
    .where(sql`${sessions.id} = any((select ${sql.placeholder('sessionIds')}::text[])::text[])`)
    .prepare(name),
);

/** Requests of the moment look up their sessions together. */
const lookUps = ofDatabase(
  (db) =>
    new Batcher(async (sessionIds: readonly string[]) => {
      const rows = await selectSessionAndTurn(batchPool(db)).execute({
        sessionIds: [...new Set(sessionIds)],
      });
      const bySession = new Map(rows.map((row) => [row.session.id, row]));
      return sessionIds.map((sessionId) => bySession.get(sessionId));
    }, isDatabaseDown),
);

/**
 * A session, whether it has turns that have not ended, and its user's preferences.
 *
 * @throws TypedError SESSION_NOT_FOUND 404, also for text that is no session's id.
 */
export async function findSessionAndTurn(
  db: Database,
  sessionId: string,
): Promise<{ session: SessionRow; isBusy: boolean; user: StoredPreferences }> {
  const found = isId('sess', sessionId) ? await lookUps(db).add(sessionId) : undefined;
  if (found === undefined) throw sessionNotFound(sessionId);
  const { session, turnId, preferences } = found;
  return { session, isBusy: turnId !== null, user: preferences ?? {} };
}

/** A user's preferences, for a turn whose session is not stored yet. */
export async function findPreferences(db: Database, userId: string): Promise<StoredPreferences> {
  const [found] = await db
    .select({ settings: userPreferences.settings })
    .from(userPreferences)
    .where(eq(userPreferences.userId, userId));
  return found?.settings ?? {};
}

export async function findTurnByKey(
  db: Database,
  sessionId: string,
  idempotencyKey: string,
): Promise<TurnRow | undefined> {
  const [turn] = await db
    .select()
    .from(turns)
    .where(and(eq(turns.sessionId, sessionId), eq(turns.idempotencyKey, idempotencyKey)));
  return turn;
}

export function eventsUrl(turnId: string): string {
  return `/api/harness/turns/${turnId}/events`;
}

/** Options and delegation of a turn, by which it is offered tools. */
export interface TurnOffer {
  options: OptionResolution;
  delegation: SubagentDecision | null;
}

/** The options and the delegation of a turn as they were resolved, also of a replay whose options leave them out. Pure. */
export function offerOf(turn: TurnOffer & { request: Pick<StoredRequest, 'replay'> }): TurnOffer {
  const { options, delegation, request } = turn;
  const offer = request.replay?.offer;
  if (offer === undefined) return { options, delegation };
  const { toolsFrom, delegatedSubagents, ...tools } = offer;
  return {
    options: {
      ...options,
      options: { ...options.options, ...tools },
      provenance: { ...options.provenance, tools: toolsFrom },
    },
    delegation: delegation && { ...delegation, delegatedSubagents },
  };
}

/** Whether the turn has somebody who can be asked: not in mode `dontAsk`, and not where nobody sent it. */
export function canAsk(
  { unattended }: Pick<StoredRequest, 'unattended'>,
  layers: readonly Pick<PermissionLayer, 'mode'>[],
): boolean {
  return unattended !== true && layers.every(({ mode }) => mode !== 'dontAsk');
}

/**
 * Whether a turn has one of some statuses, as constants of the statement: the indexes of unended turns are for given
 * statuses, and with parameters the server would plan the statement each time to use one.
 */
export function hasStatus(...statuses: readonly TurnStatus[]): SQL {
  return sql`${turns.status} in (${listStatuses(statuses)})`;
}

/** Statuses as constants of a statement. */
export function listStatuses(statuses: readonly TurnStatus[]): SQL {
  return sql.raw(statuses.map((status) => `'${status}'`).join(', '));
}

/** Rows of a session's held turns that were not asked to end. */
export function isHeldIn(sessionId: string) {
  return and(eq(turns.sessionId, sessionId), hasStatus('held'), isNull(turns.cancelRequestedAt));
}

/** Values of a turn that is asked to end. The first reason stays. */
export function askToEnd(at: Date, reason: CancelReason) {
  return {
    cancelRequestedAt: sql`coalesce(${turns.cancelRequestedAt}, ${sql.param(at, turns.cancelRequestedAt)})`,
    cancelReason: sql<CancelReason>`coalesce(${turns.cancelReason}, ${reason})`,
  };
}

/** Rows of a turn that this attempt may still write. A held turn is only ever ended. */
export function ownedBy(turnId: string, attempt: number) {
  return and(eq(turns.id, turnId), eq(turns.attempt, attempt), hasStatus('running', 'held'));
}

/** The id of the message that answers a turn: known before the turn has begun. */
export function assistantMessageId(turnId: string): string {
  return turnId.replace(/^turn_/, 'msg_');
}
