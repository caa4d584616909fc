import { approvalNotFound } from '../../turn/approvals/approval-errors.js';
import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import type { GivenAnswer } from '../../turn/approvals/validate-answer.js';
import type { TurnRow } from '../../turn/state/turn-lookup.js';

type Asked = Pick<ApprovalRow, 'id' | 'callId' | 'kind' | 'decision' | 'decidedAt'>;

/** Answers of a request to the questions of a conversation. */
export interface WireAnswers {
  /** By the question's id. `mayBeLate`: nothing is lost where somebody else decided before. */
  decisions: readonly { approvalId: string; given: GivenAnswer; mayBeLate?: boolean }[];
  /** Outputs by their calls, some of which the server may have run: the client cannot know. */
  outputs: readonly { callId: string; given: GivenAnswer }[];
}

export interface MatchedAnswer {
  approval: Asked;
  given: GivenAnswer;
}

export interface MatchedAnswers<Turn = TurnRow> {
  /** The turn that waits for the answers, or waited for them. */
  turn: Turn;
  /** Every question of the turn that the request answers, the decided ones included. */
  asked: readonly Asked[];
  /** Answers to be given. Too late is the output of a tool whose question was decided without the client. */
  answers: readonly MatchedAnswer[];
}

/**
 * Matches answers with the questions that they name, the earliest turn's first. A conversation waits in one
 * turn at a time: where a request names questions of several, as clients do that send old answers again or
 * whose calls have ids that come twice, the last turn is meant. Of two outputs of a call the last one counts.
 * Pure.
 *
 * @returns undefined where nothing was answered that was asked.
 * @throws TypedError APPROVAL_NOT_FOUND 404 for a decision on what was not asked.
 */
export function matchAnswers<Turn extends { id: string }>(
  questions: readonly { approval: Asked; turn: Turn }[],
  { decisions, outputs }: WireAnswers,
): MatchedAnswers<Turn> | undefined {
  const unknown = decisions.find(
    ({ approvalId }) => !questions.some(({ approval }) => approval.id === approvalId),
  );
  if (unknown !== undefined) throw approvalNotFound(unknown.approvalId);
  const turn = questions.at(-1)?.turn;
  if (turn === undefined) return undefined;
  const asked = questions.flatMap((one) => (one.turn.id === turn.id ? one.approval : []));
  const answers = asked.flatMap((approval): MatchedAnswer[] => {
    const decision = decisions.findLast(({ approvalId }) => approvalId === approval.id);
    const answer = decision ?? outputs.findLast(({ callId }) => callId === approval.callId);
    if (answer === undefined) return [];
    const { given } = answer;
    const mayBeLate = decision === undefined || decision.mayBeLate === true;
    return mayBeLate && isDecidedElsewhere(approval, given) ? [] : [{ approval, given }];
  });
  return { turn, asked, answers };
}

/** An equal answer is given again: that changes nothing. */
function isDecidedElsewhere({ decision }: Asked, given: GivenAnswer): boolean {
  return decision !== null && decision !== given.decision;
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
