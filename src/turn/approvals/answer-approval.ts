import { eq } from 'drizzle-orm';
import type { AuditEntry } from '../../access/keys/audit-log.js';
import { canonicalJson } from '../../platform/json.js';
import { sessions } from '../../storage/schema.js';
import type { TurnServices } from '../state/turn-services.js';
import { approvalNotFound, approvalAlreadyResolved } from './approval-errors.js';
import type { ApprovalRow } from './approval-writes.js';
import { ApprovalStore, type Answer } from './approval-store.js';
import { checkGrant } from './check-grant.js';
import { readAnswer, type GivenAnswer } from './read-answer.js';

type Services = Pick<TurnServices, 'db' | 'claims' | 'queue' | 'tools' | 'logger' | 'audit'>;

/**
 * Answers a question and lets its turn go on, in one transaction: whoever dies after it, on
 * whatever process the question was asked, the turn goes on by it. The same answer again is the
 * same answer.
 *
 * @throws TypedError APPROVAL_NOT_FOUND, APPROVAL_RESOLVED, INVALID_REQUEST.
 */
export async function answerApproval(
  services: Services,
  { approvalId, given, by }: { approvalId: string; given: GivenAnswer; by: string },
): Promise<ApprovalRow> {
  const [answered] = await answerApprovals(services, { answers: [{ approvalId, given }], by });
  if (answered === undefined) throw approvalNotFound(approvalId);
  return answered;
}

/**
 * Answers several questions at once: all of them or, where one cannot be taken, none. Answered one
 * after the other, the turn could go on with the first and wait again for the second, which is here.
 *
 * @returns them in the order of the answers.
 * @throws as `answerApproval`.
 */
export async function answerApprovals(
  services: Services,
  { answers, by }: { answers: readonly { approvalId: string; given: GivenAnswer }[]; by: string },
): Promise<ApprovalRow[]> {
  const { db, claims, queue, tools, logger, audit } = services;
  const store = new ApprovalStore(db);
  const read: { asked: ApprovalRow; answer: Answer }[] = [];
  for (const { approvalId, given } of answers) {
    const asked = await store.get(approvalId);
    const answer = readAnswer(tools, asked, given);
    await checkRule(services, asked, answer);
    read.push({ asked, answer: { ...answer, by } });
  }
  const { rows, woken } = await db.transaction(async (tx) => {
    const answered = new Map<string, ApprovalRow>();
    const turnIds = new Set<string>();
    // In one order for all: two that meet wait for each other, and neither for ever.
    for (const { asked, answer } of read.toSorted((a, b) => (a.asked.id < b.asked.id ? -1 : 1))) {
      const row = await store.answer(asked.id, answer, tx);
      answered.set(asked.id, row ?? sameAnswer(await store.get(asked.id, tx), answer));
      if (row === undefined) continue;
      turnIds.add(row.turnId);
      await audit.write(auditOf(row, by), tx);
    }
    const found = read.flatMap(({ asked }) => answered.get(asked.id) ?? []);
    return { rows: found, woken: await claims.wake([...turnIds].sort(), tx) };
  });
  // The sweeper finds a turn whose job was lost.
  if (woken.length > 0) {
    queue
      .enqueue(woken, 'recovered')
      .catch((error: unknown) => logger.warn({ woken, error }, 'an answer woke no worker'));
  }
  return rows;
}

function auditOf(answered: ApprovalRow, by: string): AuditEntry {
  const { id, decision, turnId, name: tool, editedInput } = answered;
  const details = { decision, turnId, tool, edited: editedInput !== null };
  return { principalId: by, action: 'approval.answered', subject: id, details };
}

async function checkRule(
  { db, tools }: Services,
  asked: ApprovalRow,
  { grantRule, editedInput }: Pick<Answer, 'grantRule' | 'editedInput'>,
): Promise<void> {
  if (grantRule === null) return;
  const { projectRoot } = sessions;
  const [session] = await db
    .select({ projectRoot })
    .from(sessions)
    .where(eq(sessions.id, asked.sessionId));
  if (session === undefined) throw approvalNotFound(asked.id);
  await checkGrant(tools, { ...asked, editedInput }, { rule: grantRule, ...session });
}

function sameAnswer(found: ApprovalRow, answer: Answer): ApprovalRow {
  const isSame =
    found.decision === answer.decision &&
    found.decidedBy === answer.by &&
    found.message === answer.message &&
    found.grantRule === answer.grantRule &&
    found.output === answer.output &&
    found.isError === answer.isError &&
    canonicalJson(found.editedInput) === canonicalJson(answer.editedInput);
  if (!isSame) throw approvalAlreadyResolved(found);
  return found;
}
