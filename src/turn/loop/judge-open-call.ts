import type { CallableTool } from '../../tools/open-tools.js';
import { effectiveInput, judgeCall, type CallVerdict } from '../approvals/judge-call.js';
import { judgeClientCall } from '../approvals/judge-client-call.js';
import { narrowLayers } from '../approvals/narrow-layers.js';
import { decideCall } from './decide-call.js';
import type { Progress, ToolUse } from '../state/progress.js';
import type { TurnRun } from '../state/turn-run.js';

/**
 * Judges a call just before it would run: calls that ran before it may have changed the verdict.
 */
export async function judgeOpenCall(
  run: Pick<TurnRun, 'turn' | 'approvals' | 'progress' | 'rules' | 'toolset'>,
  call: ToolUse,
  tool: CallableTool,
): Promise<CallVerdict> {
  const approvals = run.approvals.filter(({ callId }) => callId === call.id);
  const input = effectiveInput(call.input, approvals);
  const { permissions, skills } = run.rules;
  const narrowed = narrowLayers(permissions, { ...run, skills });
  const permission = await decideCall(narrowed, tool, input);
  const { name } = call;
  if (run.toolset.clientTools.has(name)) {
    const checked = tool.checkInput(call.input);
    const fault = checked.ok ? undefined : checked.message;
    return judgeClientCall({ name, permission, fault, approvals });
  }
  return judgeCall({
    name,
    input: call.input,
    permission,
    isLost: isClaimed(run.progress, call),
    retry: tool.retry,
    approvals,
    attempt: run.turn.attempt,
    unknownCalls: run.rules.approvals.unknownCalls,
  });
}

/** Whether this attempt, or an earlier one, began to run the call. */
export function isClaimed({ results }: Progress, call: ToolUse): boolean {
  return results.get(call.id)?.status === 'claimed';
}
