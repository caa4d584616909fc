import { TypedError } from '../../errors/typed-error.js';
import type { ApprovalRow } from './approval-writes.js';

export function approvalNotFound(approvalId: string): TypedError {
  const shown = approvalId.slice(0, 120);
  return new TypedError('APPROVAL_NOT_FOUND', {
    message: `There is no approval ${shown}. Open ones: GET /api/harness/approvals.`,
    details: { approvalId: shown },
  });
}

export function approvalAlreadyResolved({ id, decision, decidedBy }: ApprovalRow): TypedError {
  const why =
    decision === 'cancelled' ? 'its turn has ended' : `${decidedBy ?? 'somebody'} decided it`;
  return new TypedError('APPROVAL_RESOLVED', {
    message: `Approval ${id} is not open any more: ${why}. Nothing was changed.`,
    details: { approvalId: id, decision, by: decidedBy },
  });
}
