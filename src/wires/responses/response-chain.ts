import type { ApprovalRow } from '../../turn/approvals/approval-writes.js';
import { formatResponseId } from './response-name.js';

/** A response of a turn. */
export interface LinkedResponse {
  id: string;
  /** Approvals whose answers it begins with, which were given at once; none: the first one. */
  answered: readonly string[];
  /** Approvals that were answered before. Absent: none. */
  before?: readonly string[];
}

type Asked = Pick<ApprovalRow, 'id' | 'decision' | 'decidedAt'>;

/**
 * The responses of a turn, in order. Answers of one request are one transaction and have one instant. Each
 * begins a response, whoever gave them: a person at the console, or a deadline. Pure.
 *
 * @param approvals those of the turn and of its subagents.
 */
export function linkResponses(turnId: string, approvals: readonly Asked[]): LinkedResponse[] {
  const instants = new Map<number, string[]>();
  for (const { id, decision, decidedAt } of approvals) {
    // The end of a turn puts its questions away: nothing goes on after that.
    if (decision === null || decision === 'cancelled' || decidedAt === null) continue;
    const at = decidedAt.getTime();
    instants.set(at, [...(instants.get(at) ?? []), id]);
  }
  const answers = [...instants].toSorted(([a], [b]) => a - b).map(([, ids]) => ids.toSorted());
  return [[], ...answers].map((answered, index) => ({
    id: formatResponseId({ turnId, approvalId: answered[0] }),
    answered,
    ...(index > 1 ? { before: answers.slice(0, index - 1).flat() } : {}),
  }));
}
