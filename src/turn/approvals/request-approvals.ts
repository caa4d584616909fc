import { newTimeId } from '../../platform/ids.js';
import type { Attempt, ToolUse } from '../state/attempt.js';
import type { ApprovalRules, AttemptContext } from '../state/attempt-context.js';
import { grantsFor } from '../../governance/permissions/match-rule.js';
import { sessionGrants } from '../../storage/governance-schema.js';
import { insertKind, type StoreWrite } from '../../storage/write-kind.js';
import type { CallableTool } from '../../tools/registry.js';
import { findArgument } from '../../tools/calls/call-paths.js';
import {
  requestedEvent,
  insertApproval,
  parkTurn,
  parkedEvent,
  type ApprovalRow,
} from './approval-writes.js';
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
  const asked = questions.map(({ call, kind, reason, input, awaits }, index): ApprovalRow => ({
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
    awaits: awaits === undefined ? null : [...awaits],
    // A timeout never repeats a call that may have taken effect, and answers neither for a client nor for a quorum.
    onTimeout: kind === 'tool' && awaits === undefined ? rules.onTimeout : 'deny',
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

/** Characters of the longest rule that is stored: a database index has no space for more. */
const MAX_RULE_CHARS = 500;

/**
 * Takes the grants that a person gave for the rest of the session with this call; they apply to
 * this turn too. Only the worker sees which file a path leads to.
 *
 * @returns the writes to store with the call's claim.
 */
export async function takeGrants(
  { approvals, turn, clock, rules }: Pick<AttemptContext, 'approvals' | 'turn' | 'clock' | 'rules'>,
  call: ToolUse,
  tool: CallableTool,
): Promise<StoreWrite[]> {
  const approval = approvals.find(
    ({ callId, decision }) => callId === call.id && decision === 'approve-session',
  );
  if (approval === undefined) return [];
  const { permissions } = rules;
  const sessionId = turn.childTerms?.sessionId ?? turn.sessionId;
  const found =
    approval.grantRule === null
      ? grantsFor(tool.name, await findArgument(tool, call.input, permissions.root.projectRoot))
      : [approval.grantRule];
  // A longer rule grants this call alone: the next one asks again.
  const granted = found.filter((rule) => rule.length <= MAX_RULE_CHARS && !rule.includes('\0'));
  rules.permissions = { ...permissions, grants: [...permissions.grants, ...granted] };
  const createdAt = new Date(clock.now());
  return granted.map((rule) =>
    insertGrant({ sessionId, rule, approvalId: approval.id, createdAt }),
  );
}

const insertGrant = insertKind(
  sessionGrants,
  ['sessionId', 'rule', 'approvalId', 'createdAt'],
  'on conflict do nothing',
);
