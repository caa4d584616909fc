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
    when: 'three iterations in a row did the same with the same results, two or three kept following each other, or one error came three times',
    applies: ({ actions }) => findNoProgress(actions) !== undefined,
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
