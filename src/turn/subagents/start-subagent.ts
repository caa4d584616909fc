import type { OptionResolution } from '../../storage/shapes/stored-options.js';
import type { OptionLoader } from '../../options/option-loader.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import { logStart } from '../../events/cursor.js';
import { newTimeId } from '../../platform/ids.js';
import { compact } from '../../platform/compact.js';
import { TypedError } from '../../errors/typed-error.js';
import { insertKind } from '../../storage/write-kind.js';
import { sessions } from '../../storage/schema.js';
import { TASK_TOOL } from '../../tools/builtin/task.js';
import { ToolFailure } from '../../tools/tool-failure.js';
import type { Delegated } from '../../tools/tool.js';
import { decideDelegation } from '../../governance/permissions/subagent-gate.js';
import { turnWrites } from '../submit/insert-turn.js';
import { narrowLayers } from '../approvals/judge-call.js';
import { lastReplyTokens } from '../../governance/limits/find-headroom.js';
import { openCalls } from '../state/attempt.js';
import type { DelegatingAttempt } from '../state/attempt-context.js';
import type { ChildTurn } from '../state/child-turn.js';
import { activeTrace } from '../../telemetry/tracing.js';
import { limitOptions, type Parent } from './limit-options.js';

const insertSession = insertKind(sessions, [
  'id',
  'parentTurnId',
  'projectRoot',
  'persona',
  'mode',
  'origin',
  'principalId',
  'permissions',
  'mcpServers',
  'createdAt',
  'updatedAt',
]);

/**
 * Starts a subagent, a session and a turn of its own: stores both and the event in one statement that only the
 * parent's owner can make. A call has one subagent: the database takes no second.
 *
 * @throws ToolFailure with what the model can do about it.
 */
export async function startSubagent(
  options: OptionLoader,
  run: DelegatingAttempt,
  { agent, prompt, callId }: Delegated,
): Promise<ChildTurn> {
  const { turn, session, clock, rules } = run;
  const delegates = turn.delegation?.delegatedSubagents ?? [];
  if (!delegates.includes(agent)) {
    throw new ToolFailure(
      `task: there is no agent ${agent} here; there is ${delegates.join(', ')}`,
    );
  }
  const { subagentFanout: fanout } = run.services.config;
  const { resolution, persona } = await chooseOptions(options, run, agent);
  const delegation = await decideDelegation(run.services, persona, undefined);
  // No await comes before the push: two calls side by side see each other's reservation.
  if (run.children.length >= fanout) {
    throw new ToolFailure(
      `task: this turn has started ${fanout} subagents, which is as many as it may`,
    );
  }
  const limited = { ...resolution, options: limitOptions(resolution.options, parentOf(run)) };
  const now = clock.now();
  const child: ChildTurn = {
    id: newTimeId('turn', now),
    callId,
    agent,
    tokenBudget: limited.options.agentConfig.tokenBudget,
    costLimit: limited.options.costLimit,
    usage: undefined,
    waitingSince: null,
    relayedTo: logStart,
    isOver: false,
  };
  run.children.push(child);
  const sessionId = newTimeId('sess', now);
  const at = new Date(now);
  const { mode } = limited.options;
  const { origin, projectRoot, principalId, permissions, mcpServers } = session;
  const { requestId } = turn.request;
  const writes = turnWrites(child.id, {
    sessionId,
    principalId,
    budget: turn.budget ?? undefined,
    request: {
      message: prompt,
      opts: undefined,
      attachments: [],
      rejectedAttachments: [],
      ...compact({ requestId }),
    },
    requestHash: callId,
    idempotencyKey: undefined,
    options: limited,
    delegation,
    parts: [{ type: 'text', text: prompt }],
    // The span of the call that delegates.
    trace: activeTrace(),
    now: at,
    child: {
      parentTurnId: turn.id,
      parentCallId: callId,
      childTerms: {
        sessionId: turn.childTerms?.sessionId ?? turn.sessionId,
        // A client's tools are the turn's alone, also where a subagent has a tool of such a name.
        tools: [...run.toolset.specs, ...(run.model.frame.serverTools ?? [])]
          .map(({ name }) => name)
          .filter((name) => !run.toolset.clientTools.has(name)),
        layers: narrowLayers(rules.permissions, { ...run, skills: rules.skills }).layers,
      },
    },
  });
  await run.writer.commit(
    [{ type: 'subagent.started', callId, childTurnId: child.id, agent }],
    [
      insertSession({
        id: sessionId,
        parentTurnId: turn.id,
        projectRoot,
        persona: agent,
        mode,
        origin,
        principalId,
        permissions,
        mcpServers,
        createdAt: at,
        updatedAt: at,
      }),
      ...writes,
    ],
  );
  return child;
}

/**
 * The options of the agent's file; what it leaves open are the user's preferences for subagents, then
 * the parent's options.
 *
 * @throws ToolFailure for a model that is not known.
 */
async function chooseOptions(
  loader: OptionLoader,
  { turn, services }: DelegatingAttempt,
  agent: string,
): Promise<{ resolution: OptionResolution; persona: Persona }> {
  const parent = turn.options.options;
  const persona = await services.personas.load(agent);
  const { costLimit, thinking, priority, contextNodes, subagents } = parent;
  const wishedModel = subagents?.model;
  const opts = {
    mode: persona.permissionMode ?? parent.mode,
    onDisconnect: 'continue',
    thinking: persona.thinking ?? thinking,
    priority,
    ...((persona.model ?? wishedModel) === undefined ? { model: parent.model } : {}),
    ...compact({ maxCostUsd: costLimit?.usd }),
  };
  const preferences = compact({ model: wishedModel, contextNodes, subagents });
  const subject = { persona: agent, mode: parent.mode, asAgent: true, preferences };
  try {
    return await loader.load(subject, opts);
  } catch (error) {
    if (!(error instanceof TypedError) || error.type !== 'SDK_FAILURE') throw error;
    throw new ToolFailure(`task: ${agent} cannot start: ${error.message}`, { cause: error });
  }
}

/** The parent's headroom, and the subagents that share it. */
function parentOf(run: DelegatingAttempt): Parent {
  const { config, tokensUsed, cost } = run.progress.state;
  const started = new Set(run.children.map(({ callId }) => callId));
  return {
    tools: run.turn.options.options.tools,
    memory: run.turn.options.options.memory === true,
    // The parent keeps tokens for its answer.
    tokensLeft: config.tokenBudget - tokensUsed - 2 * lastReplyTokens({ config }),
    usdLeft: cost === undefined ? undefined : cost.limitUsd - cost.usedUsd,
    msLeft: run.deadline.leftMs,
    secondsEach: run.turn.options.options.subagents?.timeoutSeconds,
    unended: run.children.filter(({ usage }) => usage === undefined),
    among: openCalls(run.progress).filter(({ id, name }) => name === TASK_TOOL && !started.has(id))
      .length,
  };
}
