import { contextTokens } from '../../events/turn-event.js';
import type { Usage } from '../../storage/shapes/stored-step.js';
import {
  changeState,
  newAgentState,
  type AgentState,
} from '../../governance/decision-tree/agent-state.js';
import { costOf, tokensOf } from '../../governance/limits/cost.js';
import type { CostLimit } from '../../storage/shapes/stored-options.js';
import type { DecisionTree } from '../../governance/decision-tree/decision-trees.js';
import type { CallRow, StepRow } from './stored-turn.js';

/** The tokens that count against a turn's own budget; for usage of no step, the billed tokens. */
export function addedTokens(usage: Usage): number {
  return usage.addedTokens ?? tokensOf(usage);
}

export interface StateSource {
  principalId: string;
  projectRoot: string;
  startedAt: Date;
  /** Steps of the turn, as far as they are stored, in order. */
  steps: readonly StepRow[];
  calls: readonly CallRow[];
  /** Usage of no step: see `Progress`. */
  overhead: Usage;
  /** See `Progress`. */
  sampled: ReadonlyMap<string, readonly Usage[]>;
  costLimit: CostLimit | undefined;
  /** Tokens of the session before this turn; undefined where there is no limit. */
  session: AgentState['session'];
  /** Subagents of the turn, with the usage that is counted so far. */
  children: readonly { usage: Usage | undefined; costLimit: CostLimit | undefined }[];
}

/** The state of a turn's loop, from what is stored: a recovered turn has what it had. Pure. */
export function openState(tree: DecisionTree, source: StateSource, now: number): AgentState {
  const startTime = source.startedAt.getTime();
  let state = newAgentState({
    userId: source.principalId,
    projectId: source.projectRoot,
    startTime,
    now: Math.max(startTime, now),
    config: tree.getConfig(),
    session: source.session,
    ...(source.costLimit === undefined
      ? {}
      : { cost: { usedUsd: 0, limitUsd: source.costLimit.usd } }),
  });
  state = addOverhead(state, source.overhead, source.costLimit);
  for (const { usage, costLimit } of source.children) {
    if (usage !== undefined) state = addChild(state, usage, costLimit);
  }
  const results = new Map(source.calls.map((call) => [call.callId, call]));
  for (const step of source.steps) {
    state = addStep(tree.onTurnStart(state), step, source.costLimit);
    for (const part of step.parts) {
      const sampled = part.type === 'tool_use' ? source.sampled.get(part.id) : undefined;
      for (const usage of sampled ?? []) state = addSample(state, usage, source.costLimit);
    }
    state = addResults(tree, state, { step, results });
  }
  return state;
}

/**
 * Adds the results of a step's calls, in the order the model asked for them: which of them ended
 * first is chance. Nothing is added until all have ended.
 */
export function addResults(
  tree: DecisionTree,
  state: AgentState,
  { step, results }: { step: Pick<StepRow, 'parts'>; results: ReadonlyMap<string, Ended> },
): AgentState {
  const ended: Answered[] = [];
  for (const part of step.parts) {
    if (part.type !== 'tool_use') continue;
    const result = results.get(part.id);
    if (result === undefined || result.status === 'claimed') return state;
    const { name, input } = part;
    ended.push({ name, input, status: result.status, output: result.output });
  }
  return ended.reduce((sum, call) => addResult(tree, sum, call), state);
}

type Ended = Pick<CallRow, 'status' | 'output'>;
type Answered = Pick<CallRow, 'name' | 'input' | 'output' | 'status'>;

/** The result of a call counts; a refused call is nothing that the model did. */
function addResult(tree: DecisionTree, state: AgentState, call: Answered): AgentState {
  const { name, input, output, status } = call;
  if (status === 'refused') return state;
  // A call whose process died is no failure of the tool.
  return tree.onToolResult(state, {
    name,
    input,
    output: output ?? '',
    isError: status === 'error',
  });
}

/** Adds usage of no step, which counts toward cost and the session's budget as any other. */
export function addOverhead(
  state: AgentState,
  usage: Usage,
  costLimit: CostLimit | undefined,
): AgentState {
  const { cost, session } = state;
  const usd = usage.costUsd ?? (costLimit === undefined ? 0 : costOf(usage, costLimit.price));
  return changeState(state, {
    ...(cost === undefined ? {} : { cost: { ...cost, usedUsd: cost.usedUsd + usd } }),
    ...(session === undefined
      ? {}
      : { session: { ...session, usedTokens: session.usedTokens + tokensOf(usage) } }),
  });
}

/** A subagent has ended: what it added and was paid for is its parent's. */
export function addChild(
  state: AgentState,
  usage: Usage,
  costLimit: CostLimit | undefined,
): AgentState {
  const tokensUsed = state.tokensUsed + addedTokens(usage);
  return changeState(addOverhead(state, usage, costLimit), { tokensUsed });
}

/** A server has asked the model: that is a model call of the turn, and all its tokens are the turn's. */
export function addSample(
  state: AgentState,
  usage: Usage,
  costLimit: CostLimit | undefined,
): AgentState {
  return changeState(addChild(state, usage, costLimit), { turn: state.turn + 1 });
}

/** A step is stored: what it cost, and whether the model is done. */
export function addStep(
  state: AgentState,
  { parts, usage, stopReason }: Pick<StepRow, 'parts' | 'usage' | 'stopReason'>,
  costLimit: CostLimit | undefined,
): AgentState {
  return changeState(addChild(state, usage, costLimit), {
    // A paused reply goes on: its limits are those of a turn that has not finished.
    hasFinished: stopReason !== 'pause_turn' && !parts.some((part) => part.type === 'tool_use'),
  });
}

/** Tokens of a conversation at the end of its last step that reached the model. */
export function contextBefore(turns: readonly { steps: readonly { usage: Usage }[] }[]): number {
  for (const { steps } of turns.toReversed()) {
    const last = steps.findLast(({ usage }) => contextTokens(usage) > 0);
    if (last !== undefined) return contextTokens(last.usage);
  }
  return 0;
}
