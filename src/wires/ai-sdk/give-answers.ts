import { forbiddenScope } from '../../access/access-errors.js';
import type { Principal } from '../../access/principal.js';
import type { Database } from '../../storage/connection.js';
import type { ApprovalAnswerer } from '../../turn/approvals/approval-answerer.js';
import type { GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';
import { nothingAsked } from './chat-errors.js';
import { findAsked, type AskedQuestion } from './chat-lookup.js';
import type { GivenPart } from './parse-given-parts.js';

export interface GiveDeps {
  db: Database;
  answerer: Pick<ApprovalAnswerer, 'answer'>;
}

export interface Given {
  chatId: string;
  sessionId: string;
  principal: Principal;
  parts: readonly GivenPart[];
}

interface Answered {
  /** The turn that the answers resume. */
  turn: TurnRow;
  approvalIds: string[];
}

/**
 * Stores all answers of a message, or none; equal answers given again change nothing.
 *
 * @throws TypedError APPROVAL_NOT_FOUND 404, APPROVAL_RESOLVED 409, FORBIDDEN_SCOPE 403 for an
 *   approval by a key that is not for them.
 */
export async function giveAnswers(deps: GiveDeps, given: Given): Promise<Answered> {
  const { chatId, sessionId, principal, parts } = given;
  const asked = await findAsked(deps.db, {
    sessionId,
    approvalIds: parts.flatMap((part) => (part.type === 'approval' ? part.approvalId : [])),
    callIds: parts.flatMap((part) => (part.type === 'output' ? part.callId : [])),
  });
  const turn = asked.at(-1)?.root;
  if (turn === undefined) throw nothingAsked(chatId);
  const matched = asked
    .filter(({ root }) => root.id === turn.id)
    .map((question) => match(question, parts));
  // Approvals need their scope here as on the routes of the harness.
  if (matched.some(({ answer }) => answer.decision !== 'answer')) checkScope(principal);
  const answers = matched.map(({ question, answer }) => ({
    approvalId: question.approval.id,
    given: answer,
  }));
  await deps.answerer.answer({ answers, by: principal.id });
  return { turn, approvalIds: answers.map(({ approvalId }) => approvalId) };
}

function match(
  question: AskedQuestion,
  parts: readonly GivenPart[],
): { question: AskedQuestion; answer: GivenAnswer } {
  const { id, callId } = question.approval;
  const part = parts.find((one) =>
    one.type === 'approval' ? one.approvalId === id : one.callId === callId,
  );
  if (part === undefined) throw new Error(`Question ${id} was found by nothing`);
  const none = { message: undefined, input: undefined, rule: undefined };
  if (part.type === 'output') {
    const { output, isError } = part;
    return { question, answer: { ...none, decision: 'answer', output, isError } };
  }
  // The reason of an approval does not go to the model.
  return part.isApproved
    ? { question, answer: { ...none, decision: 'approve' } }
    : { question, answer: { ...none, decision: 'deny', message: part.reason } };
}

function checkScope({ scopes }: Principal): void {
  if (!scopes.includes('approvals')) throw forbiddenScope('approvals', scopes);
}
