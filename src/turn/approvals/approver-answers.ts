import { Inject, Injectable } from '@nestjs/common';
import { asc, eq, inArray } from 'drizzle-orm';
import { AuditLog } from '../../access/audit-log.js';
import { notedCredential, type Principal } from '../../access/principal.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import type { Queryable } from '../../storage/connection.js';
import { approvalAnswers, approvals, APPROVERS } from '../../storage/governance-schema.js';
import { foundRow } from '../../storage/rows.js';
import { sessions } from '../../storage/schema.js';
import {
  approvalAlreadyResolved,
  approvalNotFound,
  notAwaited,
  type ApprovalRow,
} from './approval-writes.js';
import { countsFor, digestCall, foldAnswers } from './fold-answers.js';

export type AnswerRow = typeof approvalAnswers.$inferSelect;

/** Who answers an approval. */
export type Answerer = Pick<Principal, 'id' | 'approves' | 'credential'>;

interface GivenAnswer {
  decision: string;
  message: string | null;
}

/** An answer as the audit log has it. */
interface NotedAnswer {
  decision: string;
  /** Whether the call runs with another input. */
  edited: boolean;
  /** The roles by which the answer of one of several people counted. */
  as?: readonly string[];
  /** Its place among the answers, from 1. */
  nth?: number;
  /** Whether it decided. */
  decides?: boolean;
}

/** Answers to approvals that await people with a role: rows, whose fold is the decision. */
@Injectable()
export class ApproverAnswers {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Takes the answer of somebody, and decides the approval if it is the last that is awaited. The same answer again
   * changes nothing; who approved may deny until there is a decision.
   *
   * @param tx in which the decision lets the turn go on.
   * @returns the approval as it is then, and whether the answer was stored now and whether it decided.
   * @throws TypedError FORBIDDEN_APPROVER 403, APPROVAL_RESOLVED 409.
   */
  async take(
    tx: Queryable,
    approvalId: string,
    { given, person }: { given: GivenAnswer; person: Answerer },
  ): Promise<{ row: ApprovalRow; isNew: boolean; isDecided: boolean }> {
    const asked = await this.#lock(tx, approvalId);
    const awaits = asked.awaits ?? [];
    const requester = await requesterOf(tx, asked);
    const digest = digestCall(asked);
    const counting = { principalId: person.id, roles: person.approves };
    const counted = awaits.filter((quorum) => countsFor(quorum, counting, requester));
    if (counted.length === 0) throw notAwaited(approvalId, awaits);
    const decision: 'approve' | 'deny' = given.decision === 'deny' ? 'deny' : 'approve';
    const earlier = await loadAnswers(tx, [approvalId]);
    const own = earlier.filter(({ principalId }) => principalId === person.id);
    // Who approved and then denied has denied.
    const standing = own.find((one) => one.decision === 'deny') ?? own[0];
    if (standing?.decision === decision) return { row: asked, isNew: false, isDecided: false };
    if (asked.decision !== null) throw approvalAlreadyResolved(asked);
    const by = new Set(counted.flatMap((quorum) => quorum.by));
    const answer = {
      approvalId,
      principalId: person.id,
      decision,
      roles: person.approves.filter((role) => by.has(role)),
      digest,
      credential: notedCredential(person.credential),
      at: new Date(this.clock.now()),
    };
    await tx.insert(approvalAnswers).values(answer);
    const folded = foldAnswers({ awaits, requester, digest }, [...earlier, answer]);
    const { roles: as } = answer;
    const place = { as, nth: earlier.length + 1, decides: folded.decision !== null };
    await this.note(tx, asked, { person, answer: { decision, edited: false, ...place } });
    if (folded.decision === null) return { row: asked, isNew: true, isDecided: false };
    const decided = {
      decision: folded.decision,
      decidedBy: APPROVERS,
      decidedAt: answer.at,
      message: folded.decision === 'deny' ? given.message : null,
    };
    const rows = await tx
      .update(approvals)
      .set(decided)
      .where(eq(approvals.id, approvalId))
      .returning();
    const row = foundRow(rows, () => approvalNotFound(approvalId));
    return { row, isNew: true, isDecided: true };
  }

  /** Notes an answer in the audit log. */
  async note(
    tx: Queryable,
    { id: subject, turnId, name: tool }: ApprovalRow,
    { person, answer }: { person: Answerer; answer: NotedAnswer },
  ): Promise<void> {
    const details = { ...answer, turnId, tool };
    await this.audit.write({ by: person, action: 'approval.answered', subject, details }, tx);
  }

  /** Notes that a person has met a question by what they did. */
  async noteMet(
    tx: Queryable,
    { id: subject, turnId, name: tool }: ApprovalRow,
    { principalId, credential }: { principalId: string; credential: object },
  ): Promise<void> {
    const details = { decision: 'approve', edited: false, turnId, tool, credential };
    const by = { id: principalId };
    await this.audit.write({ by, action: 'approval.answered', subject, details }, tx);
  }

  async #lock(tx: Queryable, approvalId: string): Promise<ApprovalRow> {
    const found = await tx
      .select()
      .from(approvals)
      .where(eq(approvals.id, approvalId))
      .for('update');
    return foundRow(found, () => approvalNotFound(approvalId));
  }
}

/** The answers to approvals, in the order they came. */
export async function loadAnswers(
  db: Queryable,
  approvalIds: readonly string[],
): Promise<AnswerRow[]> {
  if (approvalIds.length === 0) return [];
  return db
    .select()
    .from(approvalAnswers)
    .where(inArray(approvalAnswers.approvalId, [...approvalIds]))
    .orderBy(asc(approvalAnswers.at), asc(approvalAnswers.principalId));
}

/** The principal whose turn asks. @throws TypedError APPROVAL_NOT_FOUND. */
async function requesterOf(db: Queryable, asked: ApprovalRow): Promise<string> {
  const found = await db
    .select({ principalId: sessions.principalId })
    .from(sessions)
    .where(eq(sessions.id, asked.sessionId));
  return foundRow(found, () => approvalNotFound(asked.id)).principalId;
}
