import type {
  OptionResolution,
  CostLimit,
  PermissionMode,
  ResolvedOptions,
} from '../../storage/shapes/stored-options.js';
import type { OptionLoader } from '../../options/option-loader.js';
import type { Persona } from '../../agents/parse-agent-file.js';
import { logStart } from '../../events/cursor.js';
import { newTimeId } from '../../platform/ids.js';
import { compact } from '../../platform/compact.js';
import { TypedError } from '../../errors/typed-error.js';
import { insertKind } from '../../storage/write-kind.js';
import { sessions } from '../../storage/schema.js';
import { TASK_TOOL } from '../../tools/builtin/task.js';
import { ToolFailure, type DelegatedWork } from '../../tools/tool.js';
import { decideDelegation } from '../../governance/permissions/subagent-gate.js';
import { isSamePersona } from '../../agents/same-persona.js';
import { loadDelegate } from '../../session/project-agents.js';
import { openCredentials, sealCredentials } from '../../session/session-credentials.js';
import { turnWrites } from '../submit/insert-turn.js';
import type { NewTurn } from '../submit/turn-submission.js';
import { narrowLayers } from '../approvals/judge-call.js';
import { lastReplyTokens } from '../../governance/limits/find-headroom.js';
import { openCalls } from '../state/attempt.js';
import type { DelegatingAttempt } from '../state/attempt-context.js';
import type { ChildTurn } from '../state/attempt.js';
import { activeTrace } from '../../telemetry/tracing.js';

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
  'projectFiles',
  'agents',
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
  { agent: named, prompt, callId }: DelegatedWork,
): Promise<ChildTurn> {
  const agent = findDelegate(run, named);
  const { resolution, persona } = await chooseOptions(options, run, agent);
  const delegation = await decideDelegation(run.services, persona, undefined);
  const limited = { ...resolution, options: limitOptions(resolution.options, parentOf(run)) };
  // No await comes before the push: two calls side by side see each other's reservation.
  const child = reserveChild(run, { agent, callId }, limited.options);
  const now = new Date(run.clock.now());
  const session = await childSession(run, { agent, mode: limited.options.mode, now });
  const request = childRequest(run, { prompt, callId, options: limited, delegation });
  await run.writer.commit(
    [{ type: 'subagent.started', callId, childTurnId: child.id, agent }],
    [insertSession(session), ...turnWrites(child.id, { ...request, sessionId: session.id, now })],
  );
  return child;
}

/** The name of a delegate, as the model gave it. @throws ToolFailure for an agent that the turn may not delegate to. */
function findDelegate({ turn }: DelegatingAttempt, named: string): string {
  const delegates = turn.delegation?.delegatedSubagents ?? [];
  const found = delegates.find((one) => isSamePersona(one, named));
  if (found !== undefined) return found;
  throw new ToolFailure(`task: there is no agent ${named} here; there is ${delegates.join(', ')}`);
}

/** Adds a subagent to its parent's. @throws ToolFailure where the parent has as many as it may. */
function reserveChild(
  run: DelegatingAttempt,
  { agent, callId }: Pick<DelegatedWork, 'agent' | 'callId'>,
  { agentConfig, costLimit }: ResolvedOptions,
): ChildTurn {
  const { subagentFanout: fanout } = run.services.config;
  if (run.children.length >= fanout) {
    throw new ToolFailure(
      `task: this turn has started ${fanout} subagents, which is as many as it may`,
    );
  }
  const child: ChildTurn = {
    id: newTimeId('turn', run.clock.now()),
    callId,
    agent,
    tokenBudget: agentConfig.tokenBudget,
    costLimit,
    usage: undefined,
    waitingSince: null,
    relayedTo: logStart,
    isOver: false,
  };
  run.children.push(child);
  return child;
}

/** The session of a subagent: its parent's project, rules and MCP servers. */
async function childSession(
  { turn, session, services }: DelegatingAttempt,
  { agent, mode, now }: { agent: string; mode: PermissionMode; now: Date },
) {
  const { origin, projectRoot, principalId, permissions, projectFiles, agents } = session;
  const id = newTimeId('sess', now.getTime());
  const servers = await openCredentials(services.vault, session);
  return {
    id,
    parentTurnId: turn.id,
    projectRoot,
    persona: agent,
    mode,
    origin,
    principalId,
    permissions,
    projectFiles,
    agents,
    mcpServers: await sealCredentials(services.vault, { id, principalId }, servers),
    createdAt: now,
    updatedAt: now,
  };
}

/** The turn of a subagent, without its session. */
function childRequest(
  run: DelegatingAttempt,
  {
    prompt,
    callId,
    ...resolved
  }: Pick<DelegatedWork, 'prompt' | 'callId'> & Pick<NewTurn, 'options' | 'delegation'>,
): Omit<NewTurn, 'sessionId' | 'now' | 'readerProcess' | 'clientTurns'> {
  const { turn, session, rules, toolset, model } = run;
  const { requestId, unattended } = turn.request;
  return {
    ...resolved,
    principalId: session.principalId,
    budget: turn.budget ?? undefined,
    projectRoots: turn.projectRoots ?? undefined,
    request: {
      message: prompt,
      opts: undefined,
      attachments: [],
      rejectedAttachments: [],
      ...compact({ requestId, unattended }),
    },
    requestHash: callId,
    idempotencyKey: undefined,
    parts: [{ type: 'text', text: prompt }],
    // The span of the call that delegates.
    trace: activeTrace(),
    child: {
      parentTurnId: turn.id,
      parentCallId: callId,
      childTerms: {
        sessionId: turn.childTerms?.sessionId ?? turn.sessionId,
        // A client's tools are the turn's alone, also where a subagent has a tool of such a name.
        tools: [...toolset.specs, ...(model.frame.serverTools ?? [])]
          .map(({ name }) => name)
          .filter((name) => !toolset.clientTools.has(name)),
        layers: narrowLayers(rules.permissions, rules.narrowers, run).layers,
      },
    },
  };
}

/**
 * The options of the agent's file; what it leaves open are the user's preferences for subagents, then
 * the parent's options.
 *
 * @throws ToolFailure for a model that is not known.
 */
async function chooseOptions(
  loader: OptionLoader,
  { turn, session, services }: DelegatingAttempt,
  agent: string,
): Promise<{ resolution: OptionResolution; persona: Persona }> {
  const parent = turn.options.options;
  const persona = await loadDelegate(services, session, {
    name: agent,
    roleRoots: turn.projectRoots,
  });
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
  const subject = { persona: agent, agent: persona, mode: parent.mode, asAgent: true, preferences };
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

/** The headroom of a parent. */
export interface Parent {
  tools: readonly string[];
  /** Whether it has a memory of its own: a subagent has one only below it. */
  memory: boolean;
  tokensLeft: number;
  /** Undefined: the cost has no limit. */
  usdLeft: number | undefined;
  /** Until the parent's deadline. */
  msLeft: number;
  /** The user's timeout of a subagent; undefined: the parent's own. */
  secondsEach: number | undefined;
  /** Subagents whose reservations stand. */
  unended: readonly { tokenBudget: number; costLimit: CostLimit | undefined }[];
  /** Calls of this step without a reservation, this call among them; 1 or more. */
  among: number;
}

/** The least token budget of a turn. */
const MIN_TOKENS = 100;

/**
 * Limits the options of a subagent to its parent's: its tools, and an equal share of the tokens, cost
 * and time that are left and not reserved. All subagents together never use more than the parent had.
 * Pure.
 *
 * @throws ToolFailure when too little is left, or a cost cannot be limited.
 */
export function limitOptions(options: ResolvedOptions, parent: Parent): ResolvedOptions {
  const { agentConfig } = options;
  const reserved = parent.unended.reduce((sum, { tokenBudget }) => sum + tokenBudget, 0);
  const tokens = Math.floor((parent.tokensLeft - reserved) / parent.among);
  if (tokens < MIN_TOKENS) {
    throw new ToolFailure('task: this turn has too few tokens left to delegate anything');
  }
  const left = Math.max(1, Math.floor(parent.msLeft / 1_000));
  const seconds = Math.min(left, parent.secondsEach ?? left);
  return {
    ...options,
    ...limitCost(options, parent),
    tools: options.tools.filter((name) => parent.tools.includes(name)),
    memory: options.memory === true && parent.memory,
    agentConfig: {
      ...agentConfig,
      tokenBudget: Math.min(agentConfig.tokenBudget, tokens),
      timeoutSeconds: Math.min(agentConfig.timeoutSeconds, seconds),
    },
  };
}

function limitCost(
  { costLimit, model }: ResolvedOptions,
  { usdLeft, unended, among }: Parent,
): { costLimit?: CostLimit } {
  if (usdLeft === undefined) return {};
  if (costLimit === undefined) {
    throw new ToolFailure(
      `task: this turn has a limit of cost, and the price of ${model} is not known`,
    );
  }
  const reserved = unended.reduce((sum, child) => sum + (child.costLimit?.usd ?? 0), 0);
  const usd = (usdLeft - reserved) / among;
  if (usd <= 0) throw new ToolFailure('task: this turn has no money left to delegate anything');
  return { costLimit: { ...costLimit, usd } };
}
