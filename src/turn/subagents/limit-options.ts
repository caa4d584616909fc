import type { CostLimit, ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { ToolFailure } from '../../tools/tool-failure.js';

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
const LEAST_TOKENS = 100;

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
  if (tokens < LEAST_TOKENS) {
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
