import { decidePermission, type PermissionDecision } from '../governance/decide-permission.js';
import type { CallableTool } from '../tools/open-tools.js';
import { findArgument } from '../tools/permission-argument.js';
import type { TurnRun } from './turn-run.js';

/** Whether a call of a turn's may run, by every rule that is about it. */
export async function decideCall(
  run: Pick<TurnRun, 'permissions'>,
  tool: CallableTool,
  input: unknown,
): Promise<PermissionDecision> {
  const { workdir, ...rules } = run.permissions;
  const argument = await findArgument(tool, input, workdir);
  return decidePermission({ ...rules, tool, argument });
}
