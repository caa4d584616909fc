import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, isNotNull, isNull, sql, type SQL } from 'drizzle-orm';
import { boundSession, type Principal } from '../../access/principal.js';
import { describeQuorum } from '../../governance/permissions/approver-rules.js';
import { cutPage } from '../../http/paging/load-page.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { sessions, turns } from '../../storage/schema.js';
import { approvalNotFound, type ApprovalRow } from './approval-writes.js';
import { loadAnswers, type AnswerRow } from './approver-answers.js';
import {
  viewApproval,
  viewAwaits,
  type AwaitedApprovalDto,
  type AwaitedApprovalPageDto,
  type AwaitedApprovalQueryDto,
} from './approval.dto.js';
import { countsFor } from './fold-answers.js';

interface FoundApproval {
  approval: ApprovalRow;
  requester: string;
  agent: string;
}

/** How far an approval is that awaits people, as one of its principals sees it. */
export interface AwaitedProgress extends ReturnType<typeof viewAwaits> {
  /** Whether an answer of the caller is awaited. */
  isAwaitingMe: boolean;
}

/** Approvals as those see them who decide about calls of others. */
@Injectable()
export class AwaitedApprovals {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** A page of what others ask and the caller may still answer, in the order it was asked for. */
  async page(
    caller: Principal,
    { cursor, limit }: AwaitedApprovalQueryDto,
  ): Promise<AwaitedApprovalPageDto> {
    const orderKey = sql`(${approvals.createdAt}, ${approvals.id})`;
    const bound = boundSession(caller);
    const found = await this.#find(
      and(
        isNull(approvals.decision),
        isNotNull(approvals.awaits),
        sql`${sessions.principalId} <> ${caller.id}`,
        awaitsOneOf(caller.approves),
        sql`not exists (select from approval_answers answer
          where answer.approval_id = ${approvals.id} and answer.principal_id = ${caller.id})`,
        bound === undefined ? undefined : eq(approvals.sessionId, bound),
        cursor === undefined
          ? undefined
          : sql`${orderKey} > (select a.created_at, a.id from approvals a where a.id = ${cursor})`,
      ),
      limit + 1,
    );
    const { rows, ...next } = cutPage(found, limit, ({ approval }) => approval.id);
    const answers = await loadAnswers(
      this.db,
      rows.map(({ approval }) => approval.id),
    );
    return { approvals: rows.map((one) => view(one, answers, caller)), ...next };
  }

  /** @throws TypedError APPROVAL_NOT_FOUND 404, also for an approval that its requester decides. */
  async get(approvalId: string, caller: Principal): Promise<AwaitedApprovalDto> {
    const which = and(eq(approvals.id, approvalId), isNotNull(approvals.awaits));
    const [found] = await this.#find(which, 1);
    if (found === undefined) throw approvalNotFound(approvalId);
    return view(found, await loadAnswers(this.db, [approvalId]), caller);
  }

  /** How far open approvals of the caller's own turns are; undefined for those that the caller alone decides. */
  async progressOfOwn(
    rows: readonly ApprovalRow[],
    caller: Principal,
  ): Promise<(AwaitedProgress | undefined)[]> {
    const answers = await loadAnswers(
      this.db,
      rows.map(({ id }) => id),
    );
    return rows.map((row) =>
      row.awaits === null ? undefined : progressOf(row, { requester: caller.id, answers, caller }),
    );
  }

  #find(which: SQL | undefined, limit: number): Promise<FoundApproval[]> {
    return this.db
      .select({
        approval: approvals,
        requester: sessions.principalId,
        agent: sql<string>`coalesce(${turns.options} -> 'options' ->> 'persona', ${sessions.persona})`,
      })
      .from(approvals)
      .innerJoin(sessions, eq(sessions.id, approvals.sessionId))
      .innerJoin(turns, eq(turns.id, approvals.turnId))
      .where(which)
      .orderBy(asc(approvals.createdAt), asc(approvals.id))
      .limit(limit);
  }
}

function awaitsOneOf(roles: readonly string[]): SQL {
  const own = sql`(select value from json_array_elements_text(${JSON.stringify(roles)}::json))`;
  return sql`exists (select from json_array_elements(${approvals.awaits}) quorum,
    json_array_elements_text(quorum -> 'by') role where role in ${own})`;
}

function view(
  { approval, requester, agent }: FoundApproval,
  answers: readonly AnswerRow[],
  caller: Principal,
): AwaitedApprovalDto {
  const { turnId: _, sessionId: _session, toolUseId: _call, ...shown } = viewApproval(approval);
  const { editedInput: _none, ...call } = shown;
  return { ...call, agent, requester, ...progressOf(approval, { requester, answers, caller }) };
}

function progressOf(
  approval: ApprovalRow,
  {
    requester,
    answers,
    caller: { id, approves },
  }: { requester: string; answers: readonly AnswerRow[]; caller: Principal },
): AwaitedProgress {
  const progress = viewAwaits(approval, requester, answers);
  const counting = { principalId: id, roles: approves };
  const isAwaited = approval.awaits?.some((quorum) => countsFor(quorum, counting, requester));
  const hasAnswered = progress.answers.some(({ by }) => by === id);
  const isAwaitingMe = approval.decision === null && isAwaited === true && !hasAnswered;
  return { ...progress, isAwaitingMe };
}

/** How far one of the quorums is, in words. */
export function describeProgress({
  approved,
  ...quorum
}: AwaitedProgress['awaits'][number]): string {
  const missing = Math.max(0, quorum.count - approved);
  return `${describeQuorum(quorum)}: ${approved} approved, ${missing} missing`;
}
