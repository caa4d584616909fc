import { grantsFor } from '../../governance/permissions/match-rule.js';
import { sessionGrants } from '../../storage/governance-schema.js';
import { insertKind, type StoreWrite } from '../../storage/write-kind.js';
import type { CallableTool } from '../../tools/registry.js';
import { findArgument } from '../../tools/calls/call-paths.js';
import type { ToolUse } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';

/** Characters of the longest rule that is stored: a database index has no space for more. */
const LONGEST_RULE = 500;

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
  const granted = found.filter((rule) => rule.length <= LONGEST_RULE && !rule.includes('\0'));
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
