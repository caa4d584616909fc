import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { cutPage } from '../../http/paging/load-page.js';
import { compact } from '../../platform/compact.js';
import { isId } from '../../platform/ids.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { firstRequest } from '../../session/page-sessions.js';
import { sessionTitle } from '../../session/session-title.js';
import { foundRow } from '../../storage/rows.js';
import { sessions, turns } from '../../storage/schema.js';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { JsonObject } from '../../platform/json.js';
import type { AttachmentRef } from '../../storage/shapes/stored-step.js';
import { insertKind, writeKind } from '../../storage/write-kind.js';
import { TypedError } from '../../errors/typed-error.js';
import { viewApproval, type ApprovalPageDto, type ApprovalQueryDto } from './approval.dto.js';

/** Approvals, as rows. Each is answered once. */
@Injectable()
export class ApprovalStore {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @throws TypedError APPROVAL_NOT_FOUND 404, also for text that is no approval's id. */
  async get(approvalId: string, db: Queryable = this.db): Promise<ApprovalRow> {
    const found = isId('appr', approvalId)
      ? await db.select().from(approvals).where(eq(approvals.id, approvalId))
      : [];
    return foundRow(found, () => approvalNotFound(approvalId));
  }

  /** A page of a principal's approvals, in the order they were asked for. The token of a page is an approval's id. */
  async page(
    principalId: string,
    { sessionId, turnId, status, cursor, limit }: ApprovalQueryDto,
  ): Promise<ApprovalPageDto> {
    const orderKey = sql`(${approvals.createdAt}, ${approvals.id})`;
    const { title, projectRoot, persona } = sessions;
    const found = await this.db
      .select({ approval: approvals, title, firstRequest, projectRoot, persona })
      .from(approvals)
      .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
      .where(
        and(
          eq(sessions.principalId, principalId),
          sessionId === undefined ? undefined : or(eq(sessions.id, sessionId), isBelow(sessionId)),
          turnId === undefined ? undefined : eq(approvals.turnId, turnId),
          status === 'pending' ? isNull(approvals.decision) : undefined,
          cursor === undefined
            ? undefined
            : sql`${orderKey} > (select a.created_at, a.id from approvals a where a.id = ${cursor})`,
        ),
      )
      .orderBy(asc(approvals.createdAt), asc(approvals.id))
      .limit(limit + 1);
    const { rows, ...next } = cutPage(found, limit, ({ approval }) => approval.id);
    const listed = rows.map(({ approval, ...session }) => {
      const shown = session.title ?? sessionTitle(session.firstRequest);
      const about = { projectRoot: session.projectRoot, persona: session.persona };
      return { ...viewApproval(approval), session: { ...compact({ title: shown }), ...about } };
    });
    return { approvals: listed, ...next };
  }

  /** @returns undefined, with nothing changed, when the approval is not open any more. */
  async answer(
    approvalId: string,
    { by, ...answer }: Answer,
    db: Queryable = this.db,
  ): Promise<ApprovalRow | undefined> {
    const [answered] = await db
      .update(approvals)
      .set({ ...answer, decidedBy: by, decidedAt: sql`now()` })
      .where(and(eq(approvals.id, approvalId), isNull(approvals.decision)))
      .returning();
    return answered;
  }

  /** Decides approvals that nobody has decided in time. @returns how many. */
  async expire(): Promise<number> {
    const expired = await this.db
      .update(approvals)
      .set({
        decision: sql`${approvals.onTimeout}`,
        decidedBy: 'deadline',
        decidedAt: sql`now()`,
      })
      .where(and(isNull(approvals.decision), lt(approvals.expiresAt, sql`now()`)))
      .returning({ id: approvals.id });
    return expired.length;
  }
}

/** Sessions of the subagents of a session's turns, at any depth. */
function isBelow(sessionId: string) {
  return sql`${sessions.id} in (
    with recursive below as (
      select child.id from ${sessions} child join ${turns} parent on parent.id = child.parent_turn_id
      where parent.session_id = ${sessionId}
      union
      select child.id from ${sessions} child join ${turns} parent on parent.id = child.parent_turn_id
      join below on below.id = parent.session_id)
    select id from below)`;
}

/** The approvals of a turn's calls, in the order they were requested. */
export function loadApprovals(db: Queryable, turnId: string): Promise<ApprovalRow[]> {
  return db
    .select()
    .from(approvals)
    .where(eq(approvals.turnId, turnId))
    .orderBy(asc(approvals.createdAt), asc(approvals.id));
}

export type ApprovalRow = typeof approvals.$inferSelect;
export type NewApproval = typeof approvals.$inferInsert;

export const decisions = ['approve', 'approve-session', 'deny', 'answer'] as const;

export type Decision = (typeof decisions)[number];

export interface Answer {
  decision: Decision;
  message: string | null;
  editedInput: JsonObject | null;
  grantRule: string | null;
  /** A client tool's output. */
  output: string | null;
  /** Files in the output; null: none. */
  files: AttachmentRef[] | null;
  isError: boolean | null;
  /** The principal. */
  by: string;
}

/** Stores a requested approval. Part of a fenced statement. */
export const insertApproval = insertKind(approvals, [
  'id',
  'turnId',
  'sessionId',
  'callId',
  'kind',
  'name',
  'input',
  'reason',
  'onTimeout',
  'createdAt',
  'expiresAt',
]);

/** Parks the turn and gives its worker back. Part of a fenced statement. */
export const parkTurn = writeKind(
  { attempt: turns.parkedAttempt },
  (given) => `update turns set status = 'waiting', lease_until = null, waiting_since = now(),
    parked_attempt = given.attempt from ${given} given where turns.id = given.fence_id`,
);

/** Marks the decisions that the turn has applied. Part of a fenced statement. */
export const applyDecision = writeKind(
  { id: approvals.id, attempt: approvals.appliedAttempt },
  (given) => `update approvals set applied_attempt = given.attempt from ${given} given
    where approvals.id = given.id and approvals.turn_id = given.fence_id`,
);

/**
 * Cancels what is open when the turn ends, and an answer of the last moment that the turn did not
 * apply, as the events do. Part of a fenced statement.
 */
export const cancelApprovals = writeKind(
  { attempt: approvals.appliedAttempt },
  (given) => `update approvals set decision = 'cancelled', decided_by = 'server',
    decided_at = now(), message = null, edited_input = null, grant_rule = null,
    output = null, files = null, is_error = null,
    applied_attempt = given.attempt from ${given} given
    where approvals.turn_id = given.fence_id and approvals.applied_attempt is null`,
);

/** Milliseconds that a turn was parked for people. Part of a fenced statement. */
export const addWaited = writeKind(
  { ms: turns.waitedMs },
  (given) => `update turns set waited_ms = turns.waited_ms + given.ms from ${given} given
    where turns.id = given.fence_id`,
);

export function requestedEvent(approval: ApprovalRow): TurnEventBody {
  const { id: approvalId, callId, name, input, kind, reason, expiresAt, onTimeout } = approval;
  return {
    type: 'approval.requested',
    approvalId,
    callId,
    name,
    input,
    kind,
    reason,
    expiresAt: expiresAt.toISOString(),
    onTimeout,
  };
}

/** @param approvals all of the turn, in the order they were requested. */
export function parkedEvent(approvals: readonly ApprovalRow[]): TurnEventBody {
  const open = approvals.filter(({ decision }) => decision === null);
  return { type: 'turn.parked', approvalIds: open.map(({ id }) => id) };
}

export function resolvedEvent(approval: ApprovalRow): TurnEventBody {
  const { id: approvalId, callId, decision, decidedBy, message, editedInput } = approval;
  return {
    type: 'approval.resolved',
    approvalId,
    callId,
    decision: decision ?? 'cancelled',
    by: decidedBy ?? 'server',
    ...(message === null ? {} : { message }),
    ...(editedInput === null ? {} : { input: editedInput }),
  };
}

export function approvalNotFound(approvalId: string): TypedError {
  const shown = approvalId.slice(0, 120);
  return new TypedError('APPROVAL_NOT_FOUND', {
    message: `There is no approval ${shown}. Open ones: GET /api/harness/approvals.`,
    details: { approvalId: shown },
  });
}

export function approvalAlreadyResolved({ id, decision, decidedBy }: ApprovalRow): TypedError {
  const why =
    decision === 'cancelled' ? 'its turn has ended' : `${decidedBy ?? 'somebody'} decided it`;
  return new TypedError('APPROVAL_RESOLVED', {
    message: `Approval ${id} is not open any more: ${why}. Nothing was changed.`,
    details: { approvalId: id, decision, by: decidedBy },
  });
}
