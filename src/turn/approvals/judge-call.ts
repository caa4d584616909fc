import type { PermissionDecision } from '../../governance/permissions/decide-permission.js';
import type { CallEnd } from '../../tools/ledger.js';
import type { RetryClass } from '../../tools/tool.js';
import type { ApprovalKind } from '../../storage/governance-schema.js';
import type { JsonObject } from '../../platform/json.js';
import type { ApprovalRow } from './approval-writes.js';

export interface CallQuestion {
  name: string;
  /** The model's input. */
  input: JsonObject;
  /** The permission rules' verdict on `effectiveInput`. */
  permission: PermissionDecision;
  /** Whether an earlier attempt claimed the call and stored no result. */
  isLost: boolean;
  retry: RetryClass;
  /** The approvals that were requested for this call. */
  approvals: readonly ApprovalRow[];
  /** The attempt that wants to run it. */
  attempt: number;
  /** The treatment of lost calls that must not run twice. */
  unknownCalls: 'tell' | 'ask';
}

export type CallVerdict =
  | { type: 'run'; input: JsonObject }
  /** The call is answered without being run here. */
  | ({ type: 'answer'; durationMs?: number } & Pick<CallEnd, 'status' | 'output' | 'files'>)
  | { type: 'ask'; kind: ApprovalKind; reason: string }
  /** An approval is requested, and nobody has decided it yet. */
  | { type: 'wait' };

const outcomeUnknown =
  'The outcome of this call is not known: the process that ran it died. It may have taken effect, ' +
  'in part or in full, and was not run again. Check before you repeat it.';

/** The input a call runs with: as a person edited it, or else as the model gave it. */
export function effectiveInput(
  input: JsonObject,
  approvals: readonly Pick<ApprovalRow, 'editedInput'>[],
): JsonObject {
  return approvals.findLast(({ editedInput }) => editedInput !== null)?.editedInput ?? input;
}

/** Decides what happens next to a call that has no result yet. Pure. */
export function judgeCall(question: CallQuestion): CallVerdict {
  const { permission, isLost, retry } = question;
  const run: CallVerdict = {
    type: 'run',
    input: effectiveInput(question.input, question.approvals),
  };
  if (permission.verdict === 'deny') return refuse(question);
  if (isLost) return retry === 'never' ? judgeLost(question, run) : run;
  return judgeAsked(question, run);
}

/** A lost call has run under the rules of its time; they may have changed since. */
function refuse({ permission, isLost, retry }: CallQuestion): CallVerdict {
  const output = permission.reason;
  if (!isLost || retry === 'safe') return { type: 'answer', status: 'denied', output };
  return { type: 'answer', status: 'unknown', output: `${outcomeUnknown} ${output}` };
}

/** A person who was asked decides the call, even if the rules would allow it by now. */
function judgeAsked({ permission, approvals }: CallQuestion, run: CallVerdict): CallVerdict {
  const asked = approvals.find(({ kind }) => kind === 'tool');
  if (asked === undefined) {
    if (permission.verdict === 'allow') return run;
    return { type: 'ask', kind: 'tool', reason: permission.reason };
  }
  switch (asked.decision) {
    case null:
      return { type: 'wait' };
    case 'approve':
    case 'approve-session':
      return run;
    case 'deny':
    case 'cancelled':
    // The decision `answer` belongs to client tools only.
    case 'answer':
      return { type: 'answer', status: 'denied', output: describeDenial(asked) };
  }
}

/** An approval is good for one run: a call that is lost again asks nobody. */
function judgeLost(question: CallQuestion, run: CallVerdict): CallVerdict {
  const { approvals, attempt, unknownCalls, name } = question;
  const asked = approvals.find(({ kind }) => kind === 'unknown-outcome');
  if (asked === undefined && unknownCalls === 'ask') {
    const reason = `the process that ran ${name} died, and what came of the call is not known; approve to run it again`;
    return { type: 'ask', kind: 'unknown-outcome', reason };
  }
  if (asked?.decision === null) return { type: 'wait' };
  const isApproved = asked?.decision === 'approve' || asked?.decision === 'approve-session';
  if (isApproved && asked.appliedAttempt === attempt) return run;
  const message = asked?.message ?? null;
  const output = message === null ? outcomeUnknown : `${outcomeUnknown} A person says: ${message}`;
  return { type: 'answer', status: 'unknown', output };
}

function describeDenial({ decidedBy, message }: ApprovalRow): string {
  if (decidedBy === 'deadline') {
    return 'permission denied: nobody approved the call in time. Go on without it, or ask again later.';
  }
  return `permission denied: a person declined the call${message === null ? '.' : `: ${message}`}`;
}
