import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { isId } from '../../platform/ids.js';
import type { JsonObject } from '../../platform/json.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import type { AttachmentRef } from '../../storage/shapes/stored-step.js';
import { approvals } from '../../storage/governance-schema.js';
import { firstRequest } from '../../session/page-sessions.js';
import { sessions, turns } from '../../storage/schema.js';
import { approvalNotFound } from './approval-errors.js';
import type { ApprovalRow } from './approval-writes.js';

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

export interface ApprovalFilter {
  principalId: string;
  /** Approvals of the subagents' sessions are listed too. */
  sessionId?: string | undefined;
  turnId?: string | undefined;
  status: 'pending' | 'all';
  /** Page token: the id of the last approval of the page before. */
  after?: string | undefined;
  limit: number;
}

/** Approvals, as rows. Each is answered once. */
@Injectable()
export class ApprovalStore {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @throws TypedError APPROVAL_NOT_FOUND 404, also for text that is no approval's id. */
  async get(approvalId: string, db: Queryable = this.db): Promise<ApprovalRow> {
    const [approval] = isId('appr', approvalId)
      ? await db.select().from(approvals).where(eq(approvals.id, approvalId))
      : [];
    if (approval === undefined) throw approvalNotFound(approvalId);
    return approval;
  }

  /** Lists approvals in the order they were requested. */
  list({ principalId, sessionId, turnId, status, after, limit }: ApprovalFilter) {
    const orderKey = sql`(${approvals.createdAt}, ${approvals.id})`;
    return this.db
      .select({
        approval: approvals,
        session: {
          title: sessions.title,
          firstRequest,
          projectRoot: sessions.projectRoot,
          persona: sessions.persona,
        },
      })
      .from(approvals)
      .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
      .where(
        and(
          eq(sessions.principalId, principalId),
          sessionId === undefined ? undefined : or(eq(sessions.id, sessionId), isBelow(sessionId)),
          turnId === undefined ? undefined : eq(approvals.turnId, turnId),
          status === 'pending' ? isNull(approvals.decision) : undefined,
          after === undefined
            ? undefined
            : sql`${orderKey} > (select a.created_at, a.id from approvals a where a.id = ${after})`,
        ),
      )
      .orderBy(asc(approvals.createdAt), asc(approvals.id))
      .limit(limit)
      .then((rows) => rows.map(({ approval, session }) => ({ ...approval, session })));
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
