import type { Usage } from '../events/turn-event.js';
import { changeState, newAgentState, type AgentState } from '../governance/agent-state.js';
import { costOf, type CostLimit } from '../governance/cost.js';
import type { DecisionTree } from '../governance/decision-tree.js';
import type { AssistantPart } from '../provider/model-types.js';
import type { CallRow, StepRow } from './load-turn.js';

/** Tokens that count toward a budget. What came from the provider's cache was counted before. */
export function tokensOf({ inputTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheWriteTokens + outputTokens;
}

export interface StateSource {
  principalId: string;
  projectRoot: string;
  startedAt: Date;
  /** Of the turn, as far as they are stored, in order. */
  steps: readonly StepRow[];
  calls: readonly CallRow[];
  /** See `Attempt`. */
  overhead: Usage;
  costLimit: CostLimit | undefined;
  /** Of its subagents, what is counted so far. */
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
    ...(source.costLimit === undefined
      ? {}
      : { cost: { usedUsd: 0, limitUsd: source.costLimit.usd } }),
  });
  state = addOverhead(state, source.overhead, source.costLimit);
  for (const { usage, costLimit } of source.children) {
    if (usage !== undefined) state = addOverhead(state, usage, costLimit);
  }
  for (const step of source.steps) {
    state = addStep(tree.onTurnStart(state), step, source.costLimit);
    for (const call of endedCalls(step, source.calls)) {
      state = addResult(tree, state, call);
    }
  }
  return state;
}

type Answered = Pick<CallRow, 'name' | 'input' | 'output' | 'status'>;

/** What a call came to. One that a limit kept from running is nothing the model did. */
export function addResult(tree: DecisionTree, state: AgentState, call: Answered): AgentState {
  const { name, input, output, status } = call;
  if (status === 'denied' && output?.startsWith('not run:')) return state;
  // A call whose process died is no failure of the tool.
  return tree.onToolResult(state, {
    name,
    input,
    output: output ?? '',
    isError: status === 'error',
  });
}

/** What was spent counts toward the budgets, whatever it was spent on. */
export function addOverhead(
  state: AgentState,
  usage: Usage,
  costLimit: CostLimit | undefined,
): AgentState {
  const usedUsd = (state.cost?.usedUsd ?? 0) + (costLimit ? costOf(usage, costLimit.price) : 0);
  return changeState(state, {
    ...(costLimit === undefined ? {} : { cost: { usedUsd, limitUsd: costLimit.usd } }),
    tokensUsed: state.tokensUsed + tokensOf(usage),
  });
}

/** A step is stored: what it cost, and whether the model is done. */
export function addStep(
  state: AgentState,
  { parts, usage }: { parts: readonly AssistantPart[]; usage: Usage },
  costLimit: CostLimit | undefined,
): AgentState {
  return changeState(addOverhead(state, usage, costLimit), {
    hasFinished: !parts.some((part) => part.type === 'tool_use'),
  });
}

function endedCalls(step: StepRow, calls: readonly CallRow[]): CallRow[] {
  return calls
    .filter((call) => call.step === step.step && call.status !== 'claimed')
    .sort((a, b) => (a.endedAt?.getTime() ?? 0) - (b.endedAt?.getTime() ?? 0));
}
