import { ruleFault } from '../../governance/check-rule.js';
import { canonicalJson, isPlainObject, type JsonObject } from '../../platform/json.js';
import { invalidRequest } from '../../platform/typed-error.js';
import type { ToolRegistry } from '../../tools/registry.js';
import type { TurnServices } from '../turn-services.js';
import { approvalResolved } from './approval-errors.js';
import type { ApprovalRow } from './approval-facts.js';
import { ApprovalStore, type Answer } from './approval-store.js';

/** As it came, with fields of the right kind. */
export interface GivenAnswer {
  decision: string;
  message: string | undefined;
  input: unknown;
  rule: string | undefined;
}

const decisions = ['approve', 'approve-session', 'deny'] as const;

/**
 * Answers a question and lets its turn go on, in one transaction: whoever dies after it, on
 * whatever process the question was asked, the turn goes on by it. The same answer again is the
 * same answer.
 *
 * @throws TypedError APPROVAL_NOT_FOUND, APPROVAL_RESOLVED, INVALID_REQUEST.
 */
export async function answerApproval(
  services: Pick<TurnServices, 'db' | 'claims' | 'queue' | 'tools' | 'logger'>,
  { approvalId, given, by }: { approvalId: string; given: GivenAnswer; by: string },
): Promise<ApprovalRow> {
  const { db, claims, queue, tools, logger } = services;
  const store = new ApprovalStore(db);
  const asked = await store.get(approvalId);
  const answer: Answer = { ...readAnswer(tools, asked, given), by };
  const { answered, woken } = await db.transaction(async (tx) => {
    const row = await store.answer(approvalId, answer, tx);
    return { answered: row, woken: row === undefined ? [] : await claims.wake([row.turnId], tx) };
  });
  if (answered === undefined) return sameAnswer(await store.get(approvalId), answer);
  // The sweeper finds a turn whose job was lost.
  if (woken.length > 0) {
    queue
      .enqueue(woken, 'recovered')
      .catch((error: unknown) => logger.warn({ approvalId, error }, 'an answer woke no worker'));
  }
  return answered;
}

function sameAnswer(found: ApprovalRow, answer: Answer): ApprovalRow {
  const isSame =
    found.decision === answer.decision &&
    found.decidedBy === answer.by &&
    found.message === answer.message &&
    found.grantRule === answer.grantRule &&
    canonicalJson(found.editedInput) === canonicalJson(answer.editedInput);
  if (!isSame) throw approvalResolved(found);
  return found;
}

function readAnswer(
  tools: ToolRegistry,
  asked: ApprovalRow,
  given: GivenAnswer,
): Omit<Answer, 'by'> {
  const { decision: said, input } = given;
  const { message, rule } = { message: given.message ?? null, rule: given.rule ?? null };
  const decision = decisions.find((one) => one === said);
  if (decision === undefined) {
    throw invalidRequest(`Missing or invalid 'decision': one of ${decisions.join(', ')}`);
  }
  if (rule !== null && decision !== 'approve-session') {
    throw invalidRequest("'rule' goes with the decision approve-session only");
  }
  if (decision === 'approve-session' && asked.kind === 'unknown-outcome') {
    throw invalidRequest(
      "Whether a call may run again is decided for this call only: 'approve' or 'deny'",
    );
  }
  const fault = rule === null ? undefined : ruleFault(rule, tools.list());
  if (fault !== undefined) throw invalidRequest(`'rule' ${fault}`);
  if (input === undefined) return { decision, message, editedInput: null, grantRule: rule };
  if (decision === 'deny') throw invalidRequest("'input' goes with an approval, not with deny");
  return { decision, message, editedInput: readInput(tools, asked, input), grantRule: rule };
}

function readInput(tools: ToolRegistry, { name, kind }: ApprovalRow, input: unknown): JsonObject {
  if (kind === 'unknown-outcome') {
    throw invalidRequest("'input' cannot be changed: the call may have run with what it had");
  }
  if (!isPlainObject(input)) throw invalidRequest("'input' must be an object");
  const [tool] = tools.select([name]).tools;
  // Of a tool that only workers know, the worker checks it.
  const checked = tool?.checkInput(input);
  if (checked !== undefined && !checked.ok) {
    throw invalidRequest(`'input' does not fit ${name}: ${checked.message}`);
  }
  // It is JSON: it came as such.
  return input as JsonObject;
}
