import {
  decidePermission,
  type PermissionDecision,
} from '../../governance/permissions/decide-permission.js';
import { denyOwnPath } from '../../governance/permissions/own-paths.js';
import type { CallableTool } from '../../tools/registry.js';
import { findArgument } from '../../tools/calls/call-paths.js';
import type { TurnPermissions } from '../state/attempt-context.js';

const rootMoved =
  'permission denied: the project root leads to another folder since the turn began. Send another turn.';

/** Decides whether a turn's call may run, by every rule that applies to it. */
export async function decideCall(
  { root, ...rules }: TurnPermissions,
  tool: CallableTool,
  input: unknown,
): Promise<PermissionDecision> {
  const { projectRoot, ownPaths, others } = root;
  const argument = await findArgument(tool, input, projectRoot);
  if (others !== undefined && argument?.roots?.some((one) => one !== projectRoot) === true) {
    return { verdict: 'deny', rule: 'own-path', reason: rootMoved };
  }
  // The server's own paths come before the rules: none of them can grant one.
  const denial = denyOwnPath(ownPaths, { effect: tool.effect, argument });
  if (denial !== undefined) return { verdict: 'deny', rule: 'own-path', reason: denial };
  return decidePermission({ ...rules, tool, argument });
}
