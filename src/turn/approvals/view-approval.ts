import type { ApprovalRow } from './approval-writes.js';

/** An approval as clients see it. Times are ISO-8601. */
export function viewApproval(approval: ApprovalRow) {
  const { decision, decidedBy: by, message, editedInput } = approval;
  return {
    approvalId: approval.id,
    turnId: approval.turnId,
    sessionId: approval.sessionId,
    toolUseId: approval.callId,
    kind: approval.kind,
    name: approval.name,
    input: approval.input,
    reason: approval.reason,
    status: decision === null ? ('pending' as const) : ('resolved' as const),
    onTimeout: approval.onTimeout,
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    ...(decision === null
      ? {}
      : { decision, by, message, editedInput, decidedAt: approval.decidedAt?.toISOString() }),
  };
}

export type ApprovalView = ReturnType<typeof viewApproval>;
