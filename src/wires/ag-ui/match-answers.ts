import type { Database } from '../../storage/connection.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import type { GivenAnswer } from '../../turn/approvals/validate-answer.js';
import { getTurn, type TurnRow } from '../../turn/state/turn-lookup.js';
import { answersOfSeveralTurns } from './ag-ui-errors.js';
import { findClientCalls, findInterrupt } from './find-asked.js';
import type { RunAnswers } from './run-answers.js';

export interface MatchedAnswer {
  approval: ApprovalRow;
  given: GivenAnswer;
}

/** The answers of a run, and the turn that they are for. */
export interface Matched {
  turn: TurnRow;
  /** Ids of the approvals that the run answers now. */
  approvalIds: readonly string[];
  /**
   * Answers that are still open; the others were decided without the client, and the run goes on
   * after them.
   */
  answers: readonly MatchedAnswer[];
}

/**
 * Finds the approvals that a run answers, and their turn.
 *
 * @returns undefined where it answers nothing.
 * @throws TypedError APPROVAL_NOT_FOUND 404, INVALID_REQUEST 400 for answers to several turns.
 */
export async function matchAnswers(
  db: Database,
  { interrupts, outputs }: RunAnswers,
  sessionId: string,
): Promise<Matched | undefined> {
  const found: (MatchedAnswer & { turn: TurnRow; mayBeLate: boolean })[] = [];
  for (const { approvalId, isCancelled, given } of interrupts) {
    const asked = await findInterrupt(db, approvalId, sessionId);
    found.push({ ...asked, given, mayBeLate: isCancelled });
  }
  const callIds = outputs.map(({ callId }) => callId);
  for (const approval of await findClientCalls(db, callIds, sessionId)) {
    const output = outputs.findLast(({ callId }) => callId === approval.callId);
    if (output === undefined) continue;
    const turn = await getTurn(db, approval.turnId);
    found.push({ approval, turn, given: output.given, mayBeLate: true });
  }
  const [first] = found;
  if (first === undefined) return undefined;
  if (found.some(({ turn }) => turn.id !== first.turn.id)) throw answersOfSeveralTurns();
  return {
    turn: first.turn,
    approvalIds: latestAnswers(found.map(({ approval }) => approval)),
    answers: found.filter((one) => !(one.mayBeLate && isDecidedElsewhere(one))),
  };
}

/** An equal answer is given again: that changes nothing. */
function isDecidedElsewhere({ approval, given }: MatchedAnswer): boolean {
  return approval.decision !== null && approval.decision !== given.decision;
}

/**
 * Picks the approvals that a request answers from those it names: a client may name again approvals
 * that it answered before. The open ones are picked; where the request was taken already, those
 * decided last: the answers of one request are one transaction and have one instant. Pure.
 *
 * @returns their ids, in the order given.
 */
export function latestAnswers(
  approvals: readonly Pick<ApprovalRow, 'id' | 'decidedAt'>[],
): string[] {
  const instants = approvals.map(({ decidedAt }) => decidedAt?.getTime() ?? Infinity);
  const last = Math.max(...instants);
  return approvals.flatMap(({ id }, index) => (instants[index] === last ? [id] : []));
}
