import { sql, type SQL } from 'drizzle-orm';
import type { TurnEventBody } from '../../events/turn-event.js';
import { approvals } from '../../storage/governance-schema.js';
import { insertFenced } from '../../storage/insert-from.js';
import { turns } from '../../storage/schema.js';

export type ApprovalRow = typeof approvals.$inferSelect;
export type NewApproval = typeof approvals.$inferInsert;

/** Stores a requested approval. Part of a fenced statement. */
export function insertApproval(approval: NewApproval): SQL {
  return insertFenced(approvals, approval);
}

/** Parks the turn and gives its worker back. Part of a fenced statement. */
export function parkTurn(turnId: string, attempt: number): SQL {
  return sql`update ${turns} set status = 'waiting', lease_until = null, waiting_since = now(),
    parked_attempt = ${attempt} from fence where ${turns.id} = fence.id
    and ${turns.id} = ${turnId}`;
}

/** Marks the decisions that the turn has applied. Part of a fenced statement. */
export function applyDecision({ id }: ApprovalRow, attempt: number): SQL {
  return sql`update ${approvals} set applied_attempt = ${attempt} from fence
    where ${approvals.id} = ${id} and ${approvals.turnId} = fence.id`;
}

/**
 * Cancels what is open when the turn ends, and an answer of the last moment that the turn did not
 * apply, as the events do. Part of a fenced statement.
 */
export function cancelApprovals(attempt: number): SQL {
  return sql`update ${approvals} set decision = 'cancelled', decided_by = 'server',
    decided_at = now(), message = null, edited_input = null, grant_rule = null,
    output = null, is_error = null,
    applied_attempt = ${attempt} from fence
    where ${approvals.turnId} = fence.id and ${approvals.appliedAttempt} is null`;
}

/** Milliseconds that a turn was parked for people. Part of a fenced statement. */
export function addWaited(ms: number): SQL {
  return sql`update ${turns} set waited_ms = ${turns.waitedMs} + ${Math.round(ms)}::integer
    from fence where ${turns.id} = fence.id`;
}

export function requestedEvent(approval: ApprovalRow): TurnEventBody {
  const { id: approvalId, callId, name, input, kind, reason, expiresAt, onTimeout } = approval;
  return {
    type: 'approval.requested',
    approvalId,
    callId,
    name,
    input,
    kind,
    reason,
    expiresAt: expiresAt.toISOString(),
    onTimeout,
  };
}

/** @param approvals all of the turn, in the order they were requested. */
export function parkedEvent(approvals: readonly ApprovalRow[]): TurnEventBody {
  const open = approvals.filter(({ decision }) => decision === null);
  return { type: 'turn.parked', approvalIds: open.map(({ id }) => id) };
}

export function resolvedEvent(approval: ApprovalRow): TurnEventBody {
  const { id: approvalId, callId, decision, decidedBy, message, editedInput } = approval;
  return {
    type: 'approval.resolved',
    approvalId,
    callId,
    decision: decision ?? 'cancelled',
    by: decidedBy ?? 'server',
    ...(message === null ? {} : { message }),
    ...(editedInput === null ? {} : { input: editedInput }),
  };
}
