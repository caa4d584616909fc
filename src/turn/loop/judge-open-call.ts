import type { CallableTool } from '../../tools/registry.js';
import { effectiveInput, judgeCall, type CallVerdict } from '../approvals/judge-call.js';
import { judgeClientCall } from '../approvals/judge-client-call.js';
import { narrowLayers } from '../approvals/narrow-layers.js';
import { askHook } from './ask-hook.js';
import { decideCall } from './decide-call.js';
import { isClaimed, type ToolUse } from '../state/attempt.js';
import type { AttemptContext } from '../state/attempt-context.js';

/**
 * Judges a call just before it would run: calls that ran before it may have changed the verdict.
 */
export async function judgeOpenCall(
  run: AttemptContext,
  call: ToolUse,
  tool: CallableTool,
): Promise<CallVerdict> {
  const approvals = run.approvals.filter(({ callId }) => callId === call.id);
  const input = effectiveInput(call.input, approvals);
  const { permissions, skills } = run.rules;
  const narrowed = narrowLayers(permissions, { ...run, skills });
  const ruled = await decideCall(narrowed, tool, input);
  const permission = await askHook(run, { call, tool, input, permission: ruled });
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
