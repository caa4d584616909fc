import { approvals } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import type { TurnEventBody } from '../../events/turn-event.js';
import type { JsonObject } from '../../platform/json.js';
import type { AttachmentRef } from '../../storage/shapes/stored-step.js';
import { insertKind, writeKind } from '../../storage/write-kind.js';
import { describeQuorums } from '../../governance/permissions/approver-rules.js';
import type { Quorum } from '../../storage/shapes/stored-options.js';
import { TypedError } from '../../errors/typed-error.js';

export type ApprovalRow = typeof approvals.$inferSelect;
export type NewApproval = typeof approvals.$inferInsert;

export const decisions = ['approve', 'approve-session', 'deny', 'answer', 'cancel'] as const;

export type Decision = (typeof decisions)[number];

/** Characters of the message that the model gets with a denial. */
export const MAX_DENIAL_CHARS = 4_000;

export interface Answer {
  decision: Decision;
  message: string | null;
  editedInput: JsonObject | null;
  grantRule: string | null;
  /** A client tool's output. */
  output: string | null;
  /** Files in the output; null: none. */
  files: AttachmentRef[] | null;
  isError: boolean | null;
  /** The principal. */
  by: string;
}

/** An answer as it came, with fields of the right kind. */
export interface AnswerInput {
  decision: Decision;
  message: string | undefined;
  input: unknown;
  rule: string | undefined;
  /** A client tool's output: text or a JSON value. */
  output?: unknown;
  /** What the question of a call is answered with: a JSON object. */
  content?: unknown;
  isError?: boolean | undefined;
}

/** Stores a requested approval. Part of a fenced statement. */
export const insertApproval = insertKind(approvals, [
  'id',
  'turnId',
  'sessionId',
  'callId',
  'kind',
  'round',
  'name',
  'input',
  'reason',
  'question',
  'callState',
  'onTimeout',
  'awaits',
  'createdAt',
  'expiresAt',
]);

/** Parks the turn and gives its worker back. Part of a fenced statement. */
export const parkTurn = writeKind(
  { attempt: turns.parkedAttempt },
  (input) => `update turns set status = 'waiting', lease_until = null, waiting_since = now(),
    parked_attempt = input.attempt from ${input} input where turns.id = input.fence_id`,
);

/** Marks the decisions that the turn has applied. Part of a fenced statement. */
export const applyDecision = writeKind(
  { id: approvals.id, attempt: approvals.appliedAttempt },
  (input) => `update approvals set applied_attempt = input.attempt from ${input} input
    where approvals.id = input.id and approvals.turn_id = input.fence_id`,
);

const cancelled = `decision = 'cancelled', decided_by = 'server', decided_at = now(), message = null,
  edited_input = null, grant_rule = null, output = null, files = null, is_error = null,
  applied_attempt = input.attempt`;

/**
 * Cancels what is open when the turn ends, and an answer of the last moment that the turn did not
 * apply, as the events do. Part of a fenced statement.
 */
export const cancelApprovals = writeKind(
  { attempt: approvals.appliedAttempt },
  (input) => `update approvals set ${cancelled} from ${input} input
    where approvals.turn_id = input.fence_id and approvals.applied_attempt is null`,
);

/**
 * Closes a question whose call died while it waited, and an answer of the last moment that the call did not get, as the
 * event does. Part of a fenced statement.
 */
export const cancelQuestion = writeKind(
  { id: approvals.id, attempt: approvals.appliedAttempt },
  (input) => `update approvals set ${cancelled} from ${input} input where approvals.id = input.id
    and approvals.turn_id = input.fence_id and approvals.applied_attempt is null`,
);

/** Milliseconds that a turn was parked for people. Part of a fenced statement. */
export const addWaited = writeKind(
  { ms: turns.waitedMs },
  (input) => `update turns set waited_ms = turns.waited_ms + input.ms from ${input} input
    where turns.id = input.fence_id`,
);

export function requestedEvent(approval: ApprovalRow): TurnEventBody {
  const {
    id: approvalId,
    callId,
    name,
    input,
    kind,
    reason,
    expiresAt,
    onTimeout,
    awaits,
    question,
  } = approval;
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
    ...(awaits === null ? {} : { awaits }),
    ...(question === null ? {} : { question }),
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

export function approvalNotFound(approvalId: string): TypedError {
  const shown = approvalId.slice(0, 120);
  return new TypedError('APPROVAL_NOT_FOUND', {
    message: `There is no approval ${shown}. GET /api/harness/approvals lists the open ones.`,
    details: { approvalId: shown },
  });
}

/** The error of somebody who does not decide about a call. */
export function notAwaited(approvalId: string, awaits: readonly Quorum[]): TypedError {
  return new TypedError('FORBIDDEN_APPROVER', {
    message: `You do not decide about approval ${approvalId}: it awaits ${describeQuorums(awaits)}. Nothing was changed.`,
    details: { approvalId, awaits },
  });
}

export function approvalAlreadyResolved({ id, decision, decidedBy }: ApprovalRow): TypedError {
  const why =
    decision === 'cancelled' ? 'its turn has ended' : `${decidedBy ?? 'somebody'} decided it`;
  return new TypedError('APPROVAL_RESOLVED', {
    message: `Approval ${id} is no longer open: ${why}. Nothing was changed.`,
    details: { approvalId: id, decision, by: decidedBy },
  });
}
