import type { PermissionDecision } from '../../governance/permissions/decide-permission.js';
import type { ApprovalRow } from './approval-writes.js';
import type { CallVerdict } from './judge-call.js';

export interface ClientCallQuestion {
  name: string;
  /** The permission rules' verdict: only a denial counts, as nothing runs here. */
  permission: PermissionDecision;
  /** The fault in the model's input; undefined where there is none. */
  fault: string | undefined;
  /** The approvals that were requested for this call. */
  approvals: readonly ApprovalRow[];
}

/** Milliseconds that the ledger's column can store at most. */
const LONGEST_MS = 2_147_483_647;

/**
 * Decides what happens next to a client tool's call that has no result yet. The client is asked
 * once, and every later attempt finds the same answer: the call never runs here. Pure.
 */
export function judgeClientCall(question: ClientCallQuestion): CallVerdict {
  const { name, permission, fault, approvals } = question;
  if (permission.verdict === 'deny') {
    return { type: 'answer', status: 'denied', output: permission.reason };
  }
  const given = judgeGiven(approvals);
  if (given !== undefined) return given;
  if (fault !== undefined) {
    return { type: 'answer', status: 'error', output: `${name}: input is not valid: ${fault}` };
  }
  const reason = `${name} is a tool of the client: it runs the call, and answers with the output`;
  return { type: 'ask', kind: 'client-tool', reason };
}

/** The verdict by what the client was asked, also where the turn offers its tool no longer; undefined: it was not asked. */
export function judgeGiven(approvals: readonly ApprovalRow[]): CallVerdict | undefined {
  const asked = approvals.find(({ kind }) => kind === 'client-tool');
  return asked && judgeAnswer(asked);
}

function judgeAnswer(asked: ApprovalRow): CallVerdict {
  if (asked.decision === null) return { type: 'wait' };
  const durationMs = durationOf(asked);
  if (asked.decision !== 'answer') {
    return { type: 'answer', status: 'refused', output: describeRefusal(asked), durationMs };
  }
  const status = asked.isError === true ? 'error' : 'success';
  const files = asked.files ?? [];
  return { type: 'answer', status, output: asked.output ?? '', files, durationMs };
}

function describeRefusal({ decidedBy, message }: ApprovalRow): string {
  if (decidedBy === 'deadline') {
    return 'not run: the client did not answer in time. Go on without it, or call it again later.';
  }
  return `not run: the client declined the call${message === null ? '.' : `: ${message}`}`;
}

/** The client's time for the call, in ms; two clocks measure it, so it is clamped at 0. */
function durationOf({ createdAt, decidedAt }: ApprovalRow): number {
  const ms = (decidedAt ?? createdAt).getTime() - createdAt.getTime();
  return Math.min(LONGEST_MS, Math.max(0, ms));
}
