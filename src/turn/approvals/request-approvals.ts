import { newTimeId } from '../../platform/ids.js';
import type { Attempt, ToolUse } from '../state/attempt.js';
import {
  requestedEvent,
  insertApproval,
  parkTurn,
  parkedEvent,
  type ApprovalRow,
} from './approval-writes.js';
import type { ApprovalRules } from '../state/attempt-context.js';
import type { CallVerdict } from './judge-call.js';

export type ApprovalQuestion = Extract<CallVerdict, { type: 'ask' }> & {
  call: ToolUse;
  input: ToolUse['input'];
};

/**
 * Requests approvals, and parks the turn: questions, their events and the parked turn are stored in
 * the statement that gives the worker back. The next attempt begins with the answers, or at the
 * deadline.
 */
export async function requestApprovals(
  { turn, clock, writer, approvals }: Attempt,
  rules: ApprovalRules,
  questions: readonly ApprovalQuestion[],
): Promise<void> {
  const createdAt = new Date(clock.now());
  const expiresAt = new Date(clock.now() + rules.timeoutMs);
  const asked = questions.map(({ call, kind, reason, input }, index): ApprovalRow => ({
    // Ids rise in the order of the calls.
    id: newTimeId('appr', createdAt.getTime() + index),
    turnId: turn.id,
    sessionId: turn.sessionId,
    callId: call.id,
    kind,
    name: call.name,
    input,
    reason,
    decision: null,
    decidedBy: null,
    message: null,
    editedInput: null,
    grantRule: null,
    output: null,
    files: null,
    isError: null,
    // A timeout never repeats a call that may have taken effect, nor answers for a client.
    onTimeout: kind === 'tool' ? rules.onTimeout : 'deny',
    createdAt,
    expiresAt,
    decidedAt: null,
    appliedAttempt: null,
  }));
  await writer.commit(
    [...asked.map(requestedEvent), parkedEvent([...approvals, ...asked])],
    [...asked.map((approval) => insertApproval(approval)), parkTurn({ attempt: turn.attempt })],
  );
  approvals.push(...asked);
}
