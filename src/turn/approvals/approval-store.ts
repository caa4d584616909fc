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
import { approvalNotFound, type ApprovalRow, type Answer } from './approval-writes.js';
import { loadAnswers } from './approver-answers.js';
import {
  viewApproval,
  viewAwaits,
  type ApprovalDto,
  type ApprovalPageDto,
  type ApprovalQueryDto,
} from './approval.dto.js';

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
    const ofPage = rows.map(({ approval }) => approval);
    const views = await this.view(ofPage, principalId);
    const listed = rows.map(({ approval, ...session }, place) => {
      const shown = session.title ?? sessionTitle(session.firstRequest);
      const about = { projectRoot: session.projectRoot, persona: session.persona };
      return {
        ...(views[place] ?? viewApproval(approval)),
        session: { ...compact({ title: shown }), ...about },
      };
    });
    return { approvals: listed, ...next };
  }

  /** Approvals as their requester sees them, with the answers of those whom they await. */
  async view(rows: readonly ApprovalRow[], requester: string): Promise<ApprovalDto[]> {
    const awaited = rows.filter(({ awaits }) => awaits !== null).map(({ id }) => id);
    const answers = await loadAnswers(this.db, awaited);
    return rows.map((row) => ({
      ...viewApproval(row),
      ...(row.awaits === null ? {} : viewAwaits(row, requester, answers)),
    }));
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
