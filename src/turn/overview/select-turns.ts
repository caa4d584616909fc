import { and, desc, eq, gte, isNull, lt, sql, type SQL } from 'drizzle-orm';
import { compact } from '../../platform/compact.js';
import { loadPage } from '../../http/paging/load-page.js';
import { errorTable, type ErrorCode, type ErrorEntry } from '../../errors/error-table.js';
import { providerReasons, type ProviderErrorReason } from '../../provider/provider-errors.js';
import { isPlainObject } from '../../platform/json.js';
import { sessionTitle } from '../../session/session-title.js';
import type { Queryable } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import { steps, toolCalls } from '../../storage/transcript-schema.js';
import { unendedStatuses, type TurnFailure } from '../../storage/shapes/stored-turn.js';
import { hasEnded } from '../history/list-turns.js';
import type { TurnFaultDto, TurnListQueryDto, TurnSummaryDto } from './overview.dto.js';

/** Characters of the request that a title is made of: the request may be megabytes. */
const HEAD_CHARS = 1_000;

/** Literals, so that the planner chooses the partial indexes of these statuses. */
const unended = sql.raw(unendedStatuses.map((status) => `'${status}'`).join(', '));

const model = sql<string>`${turns.options} -> 'options' ->> 'model'`;
const agent = sql<string>`${turns.options} -> 'options' ->> 'persona'`;

const shown = {
  id: turns.id,
  sessionId: turns.sessionId,
  principalId: turns.principalId,
  status: turns.status,
  attempt: turns.attempt,
  usage: turns.usage,
  endReason: turns.endReason,
  failure: turns.failure,
  waitedMs: turns.waitedMs,
  parentTurnId: turns.parentTurnId,
  supersededBy: turns.supersededBy,
  createdAt: turns.createdAt,
  startedAt: turns.startedAt,
  endedAt: turns.endedAt,
  wire: sessions.origin,
  model,
  agent,
  agentVersion: sql<string | null>`${turns.options} ->> 'agentVersion'`,
  head: sql<string>`left(${turns.request}::text, ${sql.raw(String(HEAD_CHARS))})`,
  steps: sql`(select count(*) from ${steps} where ${steps.turnId} = ${turns.id})`.mapWith(Number),
  firstTokenAt: sql<string | null>`(
    select min(first_token_at) from ${steps} where ${steps.turnId} = ${turns.id} and ${steps.step} = 1)`,
  toolCalls: sql`(
    select count(*) from ${toolCalls} where ${toolCalls.turnId} = ${turns.id})`.mapWith(Number),
  tools: sql<string[] | null>`(
    select json_agg(distinct name) from ${toolCalls} where ${toolCalls.turnId} = ${turns.id})`,
};

/** @param principalId whose turns the list has; undefined: everybody’s. */
export function pageTurns(db: Queryable, query: TurnListQueryDto, principalId: string | undefined) {
  const key = { columns: { createdAt: turns.createdAt, id: turns.id }, isDescending: true };
  return loadPage(query, key, ({ after, limit }) =>
    db
      .select(shown)
      .from(turns)
      .innerJoin(sessions, eq(sessions.id, turns.sessionId))
      .where(and(...filters(query), ofPrincipal(principalId), after))
      .orderBy(desc(turns.createdAt), desc(turns.id))
      .limit(limit),
  );
}

/** A turn in the form of the list; undefined: there is none. */
export async function findSummary(db: Queryable, turnId: string): Promise<TurnRow | undefined> {
  const [found] = await db
    .select(shown)
    .from(turns)
    .innerJoin(sessions, eq(sessions.id, turns.sessionId))
    .where(eq(turns.id, turnId));
  return found;
}

type TurnRow = Awaited<ReturnType<typeof pageTurns>>['rows'][number];

function ofPrincipal(principalId: string | undefined): SQL | undefined {
  return principalId === undefined ? undefined : eq(turns.principalId, principalId);
}

/** Turns that a fork copied did not run in its session. */
function filters(query: TurnListQueryDto): (SQL | undefined)[] {
  const { id, session, status, error, principal, wire, tool, since, until } = query;
  const { minDurationMs, minCostUsd } = query;
  const when = <T>(value: T | undefined, clause: (value: T) => SQL): SQL | undefined =>
    value === undefined ? undefined : clause(value);
  return [
    isNull(turns.copiedFrom),
    when(id, (one) => eq(turns.id, one)),
    when(session, (one) => eq(turns.sessionId, one)),
    when(status, (one) =>
      one === 'unended'
        ? sql`${turns.status} in (${unended})`
        : sql`${turns.status} = ${sql.raw(`'${one}'`)}`,
    ),
    when(
      error,
      (one) =>
        sql`${turns.status} = 'failed' and ${one} in (
          ${turns.failure} ->> 'errorType', ${turns.failure} -> 'details' ->> 'reason')`,
    ),
    when(query.agent, (one) => sql`${agent} = ${one}`),
    when(query.model, (one) => sql`${model} = ${one}`),
    when(principal, (one) => eq(turns.principalId, one)),
    when(wire, (one) => eq(sessions.origin, one)),
    when(
      tool,
      (one) => sql`exists (
        select from ${toolCalls} where ${toolCalls.turnId} = ${turns.id} and ${toolCalls.name} = ${one})`,
    ),
    when(
      minDurationMs,
      (one) =>
        sql`extract(epoch from ${turns.endedAt} - ${turns.createdAt})::float8 >= ${one / 1_000}`,
    ),
    when(minCostUsd, (one) => sql`(${turns.usage} ->> 'costUsd')::float8 >= ${one}`),
    when(since, (one) => gte(turns.createdAt, new Date(one))),
    when(until, (one) => lt(turns.createdAt, new Date(one))),
  ];
}

/**
 * A turn of a list. Pure.
 *
 * @param withTexts whether it has the beginning of the message, and the words of its error.
 */
export function viewSummary(turn: TurnRow, { withTexts }: { withTexts: boolean }): TurnSummaryDto {
  const { createdAt, startedAt, endedAt, firstTokenAt, failure } = turn;
  const since = (at: Date | null): number | null =>
    at === null ? null : Math.max(0, at.getTime() - createdAt.getTime());
  return {
    turnId: turn.id,
    sessionId: turn.sessionId,
    principal: turn.principalId,
    wire: turn.wire,
    ...compact({ title: withTexts ? sessionTitle(turn.head) : undefined }),
    agent: turn.agent,
    agentVersion: turn.agentVersion,
    model: turn.model,
    status: turn.status,
    outcome: hasEnded(turn.status) ? turn.status : null,
    reason: turn.endReason,
    error: failure && viewFault(failure, withTexts),
    attempt: turn.attempt,
    steps: turn.steps,
    toolCalls: turn.toolCalls,
    tools: turn.tools ?? [],
    usage: turn.usage,
    createdAt: createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    endedAt: endedAt?.toISOString() ?? null,
    durationMs: since(endedAt),
    firstTokenMs: since(firstTokenAt === null ? null : new Date(firstTokenAt)),
    waitedMs: turn.waitedMs,
    ...compact({
      parentTurnId: turn.parentTurnId ?? undefined,
      supersededBy: turn.supersededBy ?? undefined,
    }),
  };
}

function viewFault(failure: TurnFailure, withTexts: boolean): TurnFaultDto {
  const { errorType, message, details, retryable } = failure;
  const given = isPlainObject(details) ? details['reason'] : undefined;
  const reason = isReason(given) ? given : null;
  const advice = reason === null ? undefined : providerReasons[reason].advice;
  return {
    type: errorType,
    reason,
    message: withTexts ? message : null,
    action: advice ?? actionOf(errorType),
    retryable,
  };
}

function isReason(value: unknown): value is ProviderErrorReason {
  return typeof value === 'string' && Object.hasOwn(providerReasons, value);
}

/**
 * The remedy of the table, which is Markdown, as plain text: a part of its page has the page's name. A row of a later
 * version may have an unknown code.
 */
function actionOf(code: ErrorCode): string {
  const entry: ErrorEntry | undefined = errorTable[code];
  return (entry?.action ?? '')
    .replace(/\[([^\]]*)\]\((#[^)]*)\)/g, '$1 (docs/reference/errors.md$2)')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');
}
