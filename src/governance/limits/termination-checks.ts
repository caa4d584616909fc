import type { AgentState, KnownTerminationReason } from '../decision-tree/agent-state.js';
import { findNoProgress } from './no-progress.js';

export interface TerminationCheck {
  reason: KnownTerminationReason;
  /** Condition in the documentation's table. */
  when: string;
  applies(state: AgentState): boolean;
}

/** Consecutive tool errors that end a loop. */
export const errorLimit = 3;

/** Checks in order: the first that applies ends the loop. */
export const terminationChecks: readonly TerminationCheck[] = [
  {
    reason: 'completed',
    when: 'the model stopped and asked for no tool',
    applies: ({ hasFinished }) => hasFinished,
  },
  {
    reason: 'max_iterations',
    when: '`max_iterations` iterations were run',
    applies: ({ turn, config }) => turn >= config.maxIterations,
  },
  {
    reason: 'token_budget',
    when: '`token_budget` tokens were used, or those of the session',
    applies: ({ tokensUsed, config, session }) =>
      tokensUsed >= config.tokenBudget ||
      (session !== undefined && session.usedTokens >= session.limitTokens),
  },
  {
    reason: 'cost_budget',
    when: '`opts.maxCostUsd` dollars were spent',
    applies: ({ cost }) => cost !== undefined && cost.usedUsd >= cost.limitUsd,
  },
  {
    reason: 'timeout',
    when: '`timeout_seconds` seconds have passed',
    applies: ({ elapsedSeconds, config }) => elapsedSeconds >= config.timeoutSeconds,
  },
  {
    reason: 'no_progress',
    when: 'the agent repeated itself: the same step with the same results three times, a cycle of two or three steps, or the same error three times',
    applies: ({ actions }) => actions.length > 0 && findNoProgress(actions) !== undefined,
  },
  {
    reason: 'error_limit',
    when: 'three tool calls in a row failed, the model has seen it, and it asks for more',
    applies: (state) => state.toolErrors >= errorLimit && hasSeenErrors(state),
  },
];

/**
 * Whether a reply followed the last error: parallel calls of an iteration fail before the model
 * sees it.
 */
function hasSeenErrors({ actions, turn }: AgentState): boolean {
  const last = actions.findLast(({ isError }) => isError);
  return last === undefined || last.turn < turn;
}

/** The checks in their order, for the documentation. */
export function terminationTable(): { reason: KnownTerminationReason; when: string }[] {
  return terminationChecks.map(({ reason, when }) => ({ reason, when }));
}

/** Limits that end a turn, by their names in `turn.ended` and in stored turns. */
export type LimitReason =
  | 'max_turns'
  | Exclude<KnownTerminationReason, 'completed' | 'max_iterations'>;

/** Limits by the decision tree's reasons. */
const limits: Readonly<Record<KnownTerminationReason, LimitReason | undefined>> = {
  completed: undefined,
  max_iterations: 'max_turns',
  token_budget: 'token_budget',
  cost_budget: 'cost_budget',
  timeout: 'timeout',
  no_progress: 'no_progress',
  error_limit: 'error_limit',
};

/** Reasons that mean something else on a wire: a custom decision tree may not use them. */
export const reservedReasons: ReadonlySet<string> = new Set([
  'continue',
  'cancelled',
  'max_turns',
  'daily_token_budget',
  'daily_cost_budget',
  'end_turn',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'max_tokens',
  'context_window',
  'refusal',
  'interrupt',
  'interrupted',
  'disconnect',
  'superseded',
  'failed',
  'attempts_exhausted',
]);

/** Whether the reason is the server's, and not a custom tree's. */
export function isKnownReason(reason: string): reason is KnownTerminationReason {
  return Object.hasOwn(limits, reason);
}

/** The limit of a tree's reason; undefined for an end without a limit. */
export function limitOf(reason: KnownTerminationReason): LimitReason | undefined {
  return limits[reason];
}

/** Whether a turn's end reason is a limit of the turn. */
export function isLimit(reason: string): reason is LimitReason {
  return Object.values<string | undefined>(limits).includes(reason);
}
