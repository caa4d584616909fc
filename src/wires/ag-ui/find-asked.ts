import { and, asc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { isId } from '../../platform/ids.js';
import type { Database } from '../../storage/connection.js';
import { approvals } from '../../storage/governance-schema.js';
import { approvalNotFound } from '../../turn/approvals/approval-errors.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import { getTurn, type TurnRow } from '../../turn/state/turn-lookup.js';

/**
 * The approval of an interrupt, and the thread's turn whose run waits for it: the approval's own
 * turn, or the root turn of the subagent that asked.
 *
 * @throws TypedError APPROVAL_NOT_FOUND 404, also for one of another thread.
 */
export async function findInterrupt(
  db: Database,
  approvalId: string,
  sessionId: string,
): Promise<{ approval: ApprovalRow; turn: TurnRow }> {
  const [approval] = isId('appr', approvalId)
    ? await db.select().from(approvals).where(eq(approvals.id, approvalId))
    : [];
  if (approval === undefined) throw approvalNotFound(approvalId);
  let turn = await getTurn(db, approval.turnId);
  while (turn.parentTurnId !== null) turn = await getTurn(db, turn.parentTurnId);
  if (turn.sessionId !== sessionId) throw approvalNotFound(approvalId);
  return { approval, turn };
}

/** Questions to a thread's client about calls of the client's own tools. */
export async function findClientCalls(
  db: Database,
  callIds: readonly string[],
  sessionId: string,
): Promise<ApprovalRow[]> {
  // NUL is in no call's id, and the database refuses text with it.
  const known = callIds.filter((id) => !id.includes('\0'));
  if (known.length === 0) return [];
  return db
    .select()
    .from(approvals)
    .where(
      and(
        eq(approvals.sessionId, sessionId),
        eq(approvals.kind, 'client-tool'),
        inArray(approvals.callId, known),
      ),
    );
}

/** Ids of the given answers, and of answers that the same turns take note of at the same time. */
export async function withAnswersBeside(
  db: Database,
  approvalIds: readonly string[],
): Promise<string[]> {
  const given = alias(approvals, 'given');
  const found = await db
    .selectDistinct({ id: approvals.id })
    .from(approvals)
    .innerJoin(
      given,
      and(
        eq(given.turnId, approvals.turnId),
        sql`${given.appliedAttempt} is not distinct from ${approvals.appliedAttempt}`,
      ),
    )
    .where(and(inArray(given.id, [...approvalIds]), isNotNull(approvals.decision)))
    .orderBy(asc(approvals.id));
  return found.map(({ id }) => id);
}
