import { asc, sql } from 'drizzle-orm';
import { Batcher } from '../../platform/batcher.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { prepared } from '../../storage/prepared.js';
import { grantsFor } from '../../governance/permissions/grants-for.js';
import type { Database } from '../../storage/connection.js';
import { sessionGrants } from '../../storage/governance-schema.js';
import { insertKind, type StoreWrite } from '../../storage/write-kind.js';
import type { CallableTool } from '../../tools/open-tools.js';
import { findArgument } from '../../tools/permission-argument.js';
import type { ToolUse } from '../state/progress.js';
import type { TurnRun } from '../state/turn-run.js';

/** Characters of the longest rule that is stored: a database index has no space for more. */
const LONGEST_RULE = 500;

/**
 * Takes the grants that a person gave for the rest of the session with this call; they apply to
 * this turn too. Only the worker sees which file a path leads to.
 *
 * @returns the writes to store with the call's claim.
 */
export async function takeGrants(
  { approvals, turn, clock, rules }: Pick<TurnRun, 'approvals' | 'turn' | 'clock' | 'rules'>,
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

const selectGrants = prepared((db) =>
  db
    .select({ sessionId: sessionGrants.sessionId, rule: sessionGrants.rule })
    .from(sessionGrants)
    .where(sql`${sessionGrants.sessionId} = any(${sql.placeholder('sessionIds')}::text[])`)
    .orderBy(asc(sessionGrants.createdAt), asc(sessionGrants.rule))
    .prepare('session_grants'),
);

/** Turns that begin in the moment load their grants together. */
const loads = prepared(
  (db) =>
    new Batcher(async (sessionIds: readonly string[]) => {
      const rows = await selectGrants(db).execute({ sessionIds: [...new Set(sessionIds)] });
      return sessionIds.map((id) => rows.flatMap((row) => (row.sessionId === id ? row.rule : [])));
    }, isDatabaseDown),
);

/** Rules that people have approved for the rest of a session. */
export function loadGrants(db: Database, sessionId: string): Promise<string[]> {
  return loads(db).add(sessionId);
}
