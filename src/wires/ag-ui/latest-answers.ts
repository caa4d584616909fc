import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';

/**
 * Of approvals that a request names, those that it answers: its client may name again what it answered
 * before. Open ones, or, where it was taken already, those that were decided last: the answers of one
 * request are one transaction and have one instant. Pure.
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
