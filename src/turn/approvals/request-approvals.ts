import { newTimeId } from '../../platform/ids.js';
import type { Attempt, ToolUse } from '../state/attempt.js';
import type { ApprovalRules, AttemptContext } from '../state/attempt-context.js';
import { grantsFor } from '../../governance/permissions/match-rule.js';
import { sessionGrants } from '../../storage/governance-schema.js';
import { insertKind, type StoreWrite } from '../../storage/write-kind.js';
import { releaseToolCall } from '../../tools/ledger.js';
import type { CallableTool } from '../../tools/registry.js';
import type { CallWaits } from '../../tools/tool.js';
import { findArgument } from '../../tools/calls/call-paths.js';
import {
  requestedEvent,
  insertApproval,
  parkTurn,
  parkedEvent,
  type ApprovalRow,
} from './approval-writes.js';
import { nextRound, sealState } from './call-questions.js';
import type { CallVerdict } from './judge-call.js';
import { kindOf } from './question-kinds.js';

export type ApprovalQuestion = Omit<Extract<CallVerdict, { type: 'ask' }>, 'type'> & {
  call: ToolUse;
  input: ToolUse['input'];
  /** The call itself asks. Absent: the question is about the call. */
  asked?: Pick<CallWaits, 'asked' | 'state'>;
};

/**
 * Requests approvals, and parks the turn: questions, their events and the parked turn are stored in
 * the statement that gives the worker back. The next attempt begins with the answers, or at the
 * deadline.
 */
export async function requestApprovals(
  run: Attempt,
  rules: ApprovalRules,
  questions: readonly ApprovalQuestion[],
): Promise<void> {
  const { turn, writer, approvals } = run;
  const asked = await newApprovals(run, rules, questions);
  // A call that asks has come to an end that is known: its next run is claimed anew.
  const askers = questions.flatMap((one) => (one.asked === undefined ? [] : one.call.id));
  await writer.commit(
    [...asked.map(requestedEvent), parkedEvent([...approvals, ...asked])],
    [
      ...asked.map((approval) => insertApproval(approval)),
      ...askers.map((callId) => releaseToolCall({ callId })),
      parkTurn({ attempt: turn.attempt }),
    ],
  );
  approvals.push(...asked);
}

/** The rows of questions. */
export async function newApprovals(
  run: Attempt,
  rules: ApprovalRules,
  questions: readonly ApprovalQuestion[],
): Promise<ApprovalRow[]> {
  const at = run.clock.now();
  // Ids rise in the order of the calls.
  return Promise.all(
    questions.map((question, index) =>
      newApproval(run, rules, { ...question, id: newTimeId('appr', at + index), at }),
    ),
  );
}

async function newApproval(
  run: Attempt,
  rules: ApprovalRules,
  {
    id,
    at,
    call,
    kind,
    reason,
    input,
    awaits,
    asked,
  }: ApprovalQuestion & { id: string; at: number },
): Promise<ApprovalRow> {
  const { turn, approvals } = run;
  const quorums = awaits === undefined ? null : [...awaits];
  return {
    id,
    turnId: turn.id,
    sessionId: turn.sessionId,
    callId: call.id,
    kind,
    round: nextRound(approvals, call, kind),
    name: call.name,
    input,
    reason,
    question: asked?.asked.question ?? null,
    callState: await sealState(run, id, asked?.state),
    decision: null,
    decidedBy: null,
    message: null,
    editedInput: null,
    grantRule: null,
    output: null,
    files: null,
    isError: null,
    awaits: quorums,
    onTimeout: kindOf({ kind, awaits: quorums }).withoutAnswer(rules.onTimeout),
    createdAt: new Date(at),
    expiresAt: new Date(at + rules.timeoutMs),
    decidedAt: null,
    appliedAttempt: null,
  };
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
