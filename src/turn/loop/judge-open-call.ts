import type { CallableTool } from '../../tools/registry.js';
import {
  effectiveInput,
  judgeCall,
  type CallVerdict,
  judgeClientCall,
  narrowLayers,
} from '../approvals/judge-call.js';
import { isClaimed, type ToolUse } from '../state/attempt.js';
import type { AttemptContext, Toolset, TurnPermissions } from '../state/attempt-context.js';
import {
  decidePermission,
  type PermissionDecision,
  applyHook,
} from '../../governance/permissions/decide-permission.js';
import { denyOwnPath } from '../../governance/permissions/own-paths.js';
import { findArgument } from '../../tools/calls/call-paths.js';
import { canonicalJson, type JsonObject } from '../../platform/json.js';
import { compact } from '../../platform/compact.js';
import type { HookVerdict, ToolHook } from '../../tools/tool-hook.js';
import type { ApprovalRow } from '../approvals/approval-writes.js';
import { attributes, spanNames } from '../../telemetry/span-names.js';

/** The tool of a call; undefined where there is none, or not the one that the model called. */
export function findTool(
  { toolset }: { toolset: Pick<Toolset, 'get'> },
  { name, digest }: ToolUse,
): CallableTool | undefined {
  const tool = toolset.get(name);
  return digest === undefined || tool?.digest === digest ? tool : undefined;
}

/** Why a call has no tool that could run it, for the model. */
export function describeMissing(run: AttemptContext, call: ToolUse): string {
  const { model, toolset, conversation, services } = run;
  const { name, digest } = call;
  if (digest !== undefined && toolset.get(name) !== undefined) {
    return `not run: the tool ${name} has changed since this call was made. Its schema, its effect, or whether it may run again is another one now: look at its definition, and call it again if that is still right.`;
  }
  if (digest !== undefined && services.tools.select([name]).unknown.length > 0) {
    return `not run: the tool ${name} is gone since this call was made. Go on without it, or with another tool.`;
  }
  if (conversation.prefix.told.mcp?.gone.includes(name) === true) {
    return `not run: the MCP server of ${name} no longer has this tool. Go on without it, or with another tool.`;
  }
  if (model.frame.tools.some((tool) => tool.name === name)) {
    return `not run: the tool ${name} is off in this turn.`;
  }
  const names = toolset.specs.map((tool) => tool.name).join(', ');
  return `There is no tool ${name}. Tools of this turn: ${names === '' ? 'none' : names}.`;
}

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
  const { permissions, narrowers } = run.rules;
  const narrowed = narrowLayers(permissions, narrowers, run);
  const ruled = await decideCall(narrowed, tool, input);
  const permission = await askHook(run, { call, tool, input, permission: ruled });
  const { name } = call;
  if (run.toolset.clientTools.has(name)) {
    return judgeClientCall({ name, permission, fault: faultIn(tool, call.input), approvals });
  }
  return judgeCall({
    name,
    input: call.input,
    permission,
    fault: faultIn(tool, input),
    isLost: isClaimed(run.progress, call),
    retry: tool.retry,
    approvals,
    attempt: run.turn.attempt,
    unknownCalls: run.rules.approvals.unknownCalls,
  });
}

function faultIn(tool: Pick<CallableTool, 'checkInput'>, input: JsonObject): string | undefined {
  const checked = tool.checkInput(input);
  return checked.ok ? undefined : checked.message;
}

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

interface AskedCall {
  call: ToolUse;
  tool: CallableTool;
  /** As a person edited it, or else as the model gave it. */
  input: JsonObject;
  /** What the rules say. */
  permission: PermissionDecision;
}

/**
 * The decision about a call, with that of the operator's hook where there is one. A decision that took effect is
 * stored with it and not asked for again: the claim of a call that was allowed, the approval of one that is asked
 * about, the end of one that was denied. An attempt asks once about a call and its input.
 *
 * @throws the reason of the lease's signal.
 */
async function askHook(run: AttemptContext, asked: AskedCall): Promise<PermissionDecision> {
  const { toolHook } = run.services;
  const { call, tool, permission } = asked;
  if (toolHook === null || permission.verdict === 'deny' || isClaimed(run.progress, call)) {
    return permission;
  }
  const approvals = run.approvals.filter(({ callId }) => callId === call.id);
  // A person decides about what the hook was asked; of an input that a person made it knows nothing.
  if (approvals.length > 0 && !isEdited(approvals)) return permission;
  const verdict = await askOnce(run, toolHook, asked);
  const isSafe =
    tool.effect === 'read' && tool.retry !== 'never' && !run.toolset.clientTools.has(call.name);
  const asksNobody = run.rules.permissions.layers.some(({ mode }) => mode === 'dontAsk');
  return applyHook(permission, verdict, { tool: call.name, isSafe, asksNobody });
}

function isEdited(approvals: readonly Pick<ApprovalRow, 'editedInput'>[]): boolean {
  return approvals.some(({ editedInput }) => editedInput !== null);
}

/** A call is judged again when others are asked about: its answer in this attempt is known. */
function askOnce(run: AttemptContext, hook: Pick<ToolHook, 'ask'>, asked: AskedCall) {
  const key = `${asked.call.id} ${canonicalJson(asked.input)}`;
  const known = run.rules.hookAnswers.get(key) ?? ask(run, hook, asked);
  run.rules.hookAnswers.set(key, known);
  return known;
}

async function ask(
  { turn, lease, logger, clock, services: { metrics, tracing } }: AttemptContext,
  hook: Pick<ToolHook, 'ask'>,
  { call, input, permission }: AskedCall,
): Promise<HookVerdict> {
  const { verdict: decision, rule, reason } = permission;
  const span = tracing.start(spanNames.toolHook, {
    kind: 'client',
    attributes: { [attributes.toolName]: call.name, [attributes.toolCallId]: call.id },
  });
  const startedAt = clock.now();
  try {
    const verdict = await span.run(() =>
      hook.ask(
        {
          turnId: turn.id,
          sessionId: turn.sessionId,
          ...compact({ parentTurnId: turn.parentTurnId ?? undefined }),
          principal: turn.principalId,
          agent: turn.options.options.persona,
          callId: call.id,
          tool: call.name,
          input,
          rules: { decision, rule, reason },
        },
        lease.signal,
      ),
    );
    const outcome = verdict.type === 'failed' ? 'failed' : verdict.decision;
    metrics.toolHookQuestions.inc({ outcome });
    metrics.toolHookDuration.observe((clock.now() - startedAt) / 1_000);
    const about = { callId: call.id, tool: call.name };
    if (verdict.type === 'failed') {
      span.fail('hook_failed');
      logger.warn(
        { ...about, reason: verdict.reason },
        'the tool hook gave no usable answer; this call is denied, unless it only reads. Check the hook (TURNPIKE_TOOL_HOOK_URL)',
      );
    } else if (outcome !== 'allow') {
      logger.info(
        { ...about, decision: outcome },
        'the tool hook denied a call, or asked for an approval',
      );
    }
    return verdict;
  } finally {
    span.end();
  }
}
