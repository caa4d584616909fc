import { coversQuorums, describeQuorums } from '../../governance/permissions/approver-rules.js';
import { compact } from '../../platform/compact.js';
import type { PermissionDecision } from '../../governance/permissions/decide-permission.js';
import type { CallEnd } from '../../tools/ledger.js';
import type { RetryClass } from '../../tools/tool.js';
import type { ApprovalKind } from '../../storage/governance-schema.js';
import type { JsonObject } from '../../platform/json.js';
import type { Quorum } from '../../storage/shapes/stored-options.js';
import type { ApprovalRow } from './approval-writes.js';
import { actionOf, isAsked } from './call-questions.js';
import { kindOf } from './question-kinds.js';
import type { Progress } from '../state/attempt.js';
import type { TurnPermissions } from '../state/attempt-context.js';
import type { EndedCall, Narrow } from '../state/tool-source.js';

export interface CallQuestion {
  name: string;
  /** The model's input. */
  input: JsonObject;
  /** The permission rules' verdict on `effectiveInput`. */
  permission: PermissionDecision;
  /** The fault in `effectiveInput`; undefined where there is none. */
  fault: string | undefined;
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
  | { type: 'ask'; kind: ApprovalKind; reason: string; awaits?: readonly Quorum[] }
  /** An approval is requested, and nobody has decided it yet. */
  | { type: 'wait' };

export const outcomeUnknown =
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
  return judgeQuestion(question) ?? judgeAsked(question, run);
}

/** A question of the call itself: the answer is for the call to judge, or the end of it. */
function judgeQuestion({ approvals }: CallQuestion): CallVerdict | undefined {
  const last = approvals.findLast(isAsked);
  if (last?.decision === null) return { type: 'wait' };
  if (last === undefined || actionOf(last) === 'accept') return undefined;
  const output = kindOf(last).refusal?.(last);
  return output === undefined ? undefined : { type: 'answer', status: 'refused', output };
}

/** A lost call has run under the rules of its time; they may have changed since. */
function refuse({ permission, isLost, retry }: CallQuestion): CallVerdict {
  const output = permission.reason;
  if (!isLost || retry === 'safe') return { type: 'answer', status: 'denied', output };
  return { type: 'answer', status: 'unknown', output: `${outcomeUnknown} ${output}` };
}

/** A person who was asked decides the call, even if the rules would allow it by now. */
function judgeAsked(question: CallQuestion, run: CallVerdict): CallVerdict {
  const { name, permission, fault, approvals } = question;
  const asked = approvals.find(({ kind }) => kind === 'tool');
  if (asked === undefined) {
    if (permission.verdict === 'allow') return run;
    // Nobody is asked about a call that could not run.
    if (fault !== undefined) return wrongInput(name, fault);
    const { reason, awaits } = permission;
    return { type: 'ask', kind: 'tool', reason, ...compact({ awaits }) };
  }
  switch (asked.decision) {
    case null:
      return { type: 'wait' };
    case 'approve':
    case 'approve-session':
      return isByApprovers(asked, permission)
        ? run
        : { type: 'answer', status: 'denied', output: otherApprovers(permission) };
    case 'deny':
    case 'cancelled':
    // The decisions `answer` and `cancel` belong to other kinds.
    case 'answer':
    case 'cancel':
      return { type: 'answer', status: 'denied', output: describeDenial(asked) };
  }
}

function wrongInput(name: string, fault: string): CallVerdict {
  return { type: 'answer', status: 'error', output: `${name}: input is not valid: ${fault}` };
}

/**
 * Whether those decided whom the rules want now. An input that somebody edited, or a policy that changed since, may
 * have brought the call under a rule that others decide by.
 */
function isByApprovers(
  { awaits }: Pick<ApprovalRow, 'awaits'>,
  { awaits: wanted = [] }: PermissionDecision,
): boolean {
  return coversQuorums(awaits ?? [], wanted);
}

function otherApprovers({ awaits = [], reason }: PermissionDecision): string {
  return `permission denied: ${reason}, and it was not asked for what the call is now. It awaits ${describeQuorums(awaits)}. Call it again as it is to run.`;
}

/** An approval is good for one run: a call that is lost again asks nobody. */
function judgeLost(question: CallQuestion, run: CallVerdict): CallVerdict {
  const { approvals, attempt, unknownCalls, name, permission } = question;
  const { awaits } = permission;
  const asked = approvals.find(({ kind }) => kind === 'unknown-outcome');
  if (asked === undefined && unknownCalls === 'ask') {
    const reason = `the process that ran ${name} died, and what came of the call is not known; approve to run it again`;
    return { type: 'ask', kind: 'unknown-outcome', reason, ...compact({ awaits }) };
  }
  if (asked?.decision === null) return { type: 'wait' };
  const isApproved = asked?.decision === 'approve' || asked?.decision === 'approve-session';
  if (isApproved && asked.appliedAttempt === attempt && isByApprovers(asked, permission))
    return run;
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
const MAX_TIMEOUT_MS = 2_147_483_647;

/**
 * Decides what happens next to a client tool's call that has no result yet. The client is asked
 * once, and every later attempt finds the same answer: the call never runs here. Pure.
 */
export function judgeClientCall(question: ClientCallQuestion): CallVerdict {
  const { name, permission, fault, approvals } = question;
  if (permission.verdict === 'deny') {
    return { type: 'answer', status: 'denied', output: permission.reason };
  }
  const given = judgeAnswered(approvals);
  if (given !== undefined) return given;
  if (fault !== undefined) return wrongInput(name, fault);
  const reason = `${name} is a tool of the client: it runs the call, and answers with the output`;
  return { type: 'ask', kind: 'client-tool', reason };
}

/** The verdict by what the client was asked, also where the turn offers its tool no longer; undefined: it was not asked. */
export function judgeAnswered(approvals: readonly ApprovalRow[]): CallVerdict | undefined {
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
  return Math.min(MAX_TIMEOUT_MS, Math.max(0, ms));
}

export interface NarrowingFacts {
  progress: Pick<Progress, 'steps' | 'results'>;
  approvals: readonly Pick<ApprovalRow, 'callId' | 'editedInput'>[];
}

/**
 * The permissions of the last step's calls: those of the turn, within what features allow after what earlier steps did.
 * A call beside the one that narrows was asked for before the model knew. Pure: a recovered turn is narrowed as it was.
 */
export function narrowLayers(
  permissions: TurnPermissions,
  narrowers: readonly Narrow[],
  facts: NarrowingFacts,
): TurnPermissions {
  const own = permissions.layers.at(-1);
  if (narrowers.length === 0 || own === undefined) return permissions;
  const calls = endedCalls(facts);
  const narrowing = narrowers.flatMap((narrow) => narrow(calls));
  if (narrowing.length === 0) return permissions;
  return { ...permissions, layers: [...permissions.layers.slice(0, -1), { ...own, narrowing }] };
}

/** The calls before the last step, each with the input that it ran with. */
function endedCalls({ progress, approvals }: NarrowingFacts): EndedCall[] {
  return progress.steps.slice(0, -1).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const ended = part.type === 'tool_use' ? progress.results.get(part.id) : undefined;
      if (part.type !== 'tool_use' || ended === undefined) return [];
      const edits = approvals.filter(({ callId }) => callId === part.id);
      const input = effectiveInput(part.input, edits);
      return [{ name: part.name, input, status: ended.status }];
    }),
  );
}
