import { sql, type SQL } from 'drizzle-orm';
import { grantsFor } from '../../governance/grants-for.js';
import { sessionGrants } from '../../storage/governance-schema.js';
import { insertFenced } from '../../storage/insert-from.js';
import type { CallableTool } from '../../tools/open-tools.js';
import { findArgument } from '../../tools/permission-argument.js';
import type { ToolUse, TurnRun } from '../turn-run.js';

/**
 * What a person allowed for the rest of the session with this call, from now on for this turn too.
 * On the worker, as only it sees which file a path leads to.
 *
 * @returns the facts to store with the call's claim.
 */
export async function takeGrants(run: TurnRun, call: ToolUse, tool: CallableTool): Promise<SQL[]> {
  const approval = run.approvals.find(
    ({ callId, decision }) => callId === call.id && decision === 'approve-session',
  );
  if (approval === undefined) return [];
  const { permissions, session, clock } = run;
  const rules =
    approval.grantRule === null
      ? grantsFor(tool.name, await findArgument(tool, call.input, permissions.workdir))
      : [approval.grantRule];
  run.permissions = { ...permissions, grants: [...permissions.grants, ...rules] };
  const createdAt = new Date(clock.now());
  return rules.map((rule) =>
    insertFenced(
      sessionGrants,
      { sessionId: session.id, rule, approvalId: approval.id, createdAt },
      sql`on conflict do nothing`,
    ),
  );
}
