import type { AgentState } from '../decision-tree/agent-state.js';
import { affordableReply, type PromptSize } from './cost.js';
import type { CostLimit } from '../../storage/shapes/stored-options.js';

/** Tokens below which a reply is no reply. */
const MIN_REPLY_TOKENS = 16;

/** Tokens a turn keeps of its budget for one last reply: a share, within these bounds. */
const LAST_REPLY_SHARE = 0.05;
const MIN_LAST_REPLY_TOKENS = 100;
const MAX_LAST_REPLY_TOKENS = 2_000;

/** A model call before it is made, in tokens. */
export interface CallEstimate extends PromptSize {
  /** Tokens new to the conversation, without the reply: these count toward a turn's own budget. */
  added: number;
}

/** Tokens of a reply, and the budget that allows no more. */
export interface Headroom {
  reply: number;
  budget: 'token_budget' | 'cost_budget';
}

/** Tokens of a reply below which a call is not made. @param most it may have at all. */
export function minReplyTokens(most: number): number {
  return Math.min(MIN_REPLY_TOKENS, most);
}

/** Tokens of a turn's budget that only its last call may use. */
export function lastReplyTokens({ config }: Pick<AgentState, 'config'>): number {
  const share = Math.floor(config.tokenBudget * LAST_REPLY_SHARE);
  return Math.max(MIN_LAST_REPLY_TOKENS, Math.min(MAX_LAST_REPLY_TOKENS, share));
}

/**
 * Tokens of a reply that every budget of a turn allows; below 0 where one of them has too little
 * for the call's input. Pure.
 *
 * @param kept tokens of the turn's own budget that the call leaves.
 */
export function findHeadroom(
  state: Pick<AgentState, 'config' | 'tokensUsed' | 'session' | 'cost'>,
  call: CallEstimate,
  { costLimit, kept }: { costLimit: CostLimit | undefined; kept: number },
): Headroom {
  const own = state.config.tokenBudget - state.tokensUsed - call.added - kept;
  const paid = findPaidHeadroom(state, call, costLimit);
  return paid.reply < own ? paid : { reply: own, budget: 'token_budget' };
}

/** Headroom by the budgets alone that count paid tokens: the session's, and the cost. Pure. */
export function findPaidHeadroom(
  { session, cost }: Pick<AgentState, 'session' | 'cost'>,
  call: PromptSize,
  costLimit: CostLimit | undefined,
): Headroom {
  const bySession =
    session === undefined ? Infinity : session.limitTokens - session.usedTokens - call.input;
  const byCost =
    costLimit === undefined
      ? Infinity
      : affordableReply(costLimit.usd - (cost?.usedUsd ?? 0), call, costLimit.price);
  return byCost < bySession
    ? { reply: byCost, budget: 'cost_budget' }
    : { reply: bySession, budget: 'token_budget' };
}
