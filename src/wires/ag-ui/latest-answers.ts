import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';

/**
 * Picks the approvals that a request answers from those it names: a client may name again approvals
 * that it answered before. Those that are open, or, where the request was taken already, those that
 * were decided last: the answers of one request are one transaction and have one instant. Pure.
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
