import { asc, eq, gt, lte, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { compact } from '../platform/compact.js';
import { sessionTitle } from '../session/session-title.js';
import type { QueuedTurnDto, StatusDto, StatusesDto } from './queue.dto.js';
import type { Queryable } from '../storage/connection.js';
import { activeStatuses, unendedStatuses } from '../storage/shapes/stored-turn.js';
import { sessions, turns } from '../storage/schema.js';

export type UnendedStatus = (typeof unendedStatuses)[number];

/**
 * Literals instead of parameters: the planner must see that the partial index covers the statuses.
 */
const listed = (statuses: readonly string[]) =>
  sql.raw(statuses.map((status) => `'${status}'`).join(', '));

/** Of the turns that have not ended. */
export const isUnended = sql`status in (${listed(unendedStatuses)})`;

/** Turns with a slot on a worker. A parent that waits for its subagents has none. */
const hasSlot = sql<boolean>`coalesce(status = 'running' and lease_until > now() and not exists (
  select 1 from ${turns} child where child.parent_turn_id = ${turns}.id
    and child.status in (${listed(activeStatuses)})), false)`;

/**
 * The oldest and the newest unended turns of each status, at most `most` from each end, by status
 * and age, with the beginning of their message. The cost grows with the unended turns: the index `turns_active`
 * has no others.
 */
export function findUnendedTurns(db: Queryable, most: number) {
  const ofStatus = sql`partition by status`;
  const turn = db
    .select({
      id: turns.id,
      sessionId: turns.sessionId,
      principalId: turns.principalId,
      status: turns.status,
      attempt: turns.attempt,
      parentTurnId: turns.parentTurnId,
      createdAt: turns.createdAt,
      startedAt: turns.startedAt,
      waitingSince: turns.waitingSince,
      hasSlot: hasSlot.as('has_slot'),
      /** Number of turns with the same status. */
      depth: sql`count(*) over (${ofStatus})`.mapWith(Number).as('depth'),
      /** Rank by age within the status, from 1 for the oldest. */
      rank: sql`row_number() over (${ofStatus} order by created_at, id)`.mapWith(Number).as('rank'),
      /** Number of turns with the same status that have a slot. */
      slotsUsed: sql`count(*) filter (where ${hasSlot}) over (${ofStatus})`
        .mapWith(Number)
        .as('slots_used'),
    })
    .from(turns)
    .where(isUnended)
    .as('turn');
  const whole = alias(turns, 'whole');
  return db
    .select({
      ...turn._.selectedFields,
      /** The head of its request, which its title is made of. */
      request: sql<string>`left(${whole.request}::text, 1000)`,
      agent: sql<string | null>`${whole.options} -> 'options' ->> 'persona'`,
      projectRoot: sessions.projectRoot,
    })
    .from(turn)
    .innerJoin(whole, eq(whole.id, turn.id))
    .innerJoin(sessions, eq(sessions.id, turn.sessionId))
    .where(or(lte(turn.rank, most), gt(turn.rank, sql`${turn.depth} - ${most}`)))
    .orderBy(asc(turn.status), asc(turn.rank));
}

export type UnendedTurn = Awaited<ReturnType<typeof findUnendedTurns>>[number];

/** @param most turns of a status from each end. Pure. */
export function viewStatuses(turns: readonly UnendedTurn[], most: number): StatusesDto {
  const view = (status: UnendedStatus): StatusDto => {
    const ofStatus = turns.filter((turn) => turn.status === status);
    return {
      depth: ofStatus[0]?.depth ?? 0,
      oldest: ofStatus.filter(({ rank }) => rank <= most).map(viewTurn),
      newest: ofStatus
        .filter(({ rank }) => rank > most)
        .map(viewTurn)
        .toReversed(),
    };
  };
  return {
    held: view('held'),
    queued: view('queued'),
    running: view('running'),
    waiting: view('waiting'),
  };
}

function viewTurn(turn: UnendedTurn): QueuedTurnDto {
  return {
    turnId: turn.id,
    sessionId: turn.sessionId,
    principal: turn.principalId,
    ...compact({ message: sessionTitle(turn.request) }),
    agent: turn.agent,
    projectRoot: turn.projectRoot,
    attempt: turn.attempt,
    createdAt: turn.createdAt.toISOString(),
    startedAt: turn.startedAt?.toISOString() ?? null,
    waitingSince: turn.waitingSince?.toISOString() ?? null,
    placed: turn.hasSlot,
    ...compact({ parentTurnId: turn.parentTurnId ?? undefined }),
  };
}
