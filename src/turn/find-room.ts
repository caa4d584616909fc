import type { AgentState } from '../governance/agent-state.js';
import { affordableReply, type CostLimit } from '../governance/cost.js';
import type { LastCall } from './reserve-tokens.js';
import type { Attempt } from './turn-run.js';

/**
 * Tokens that a call may have, its input with its reply, and the budget that allows no more. Pure.
 *
 * @param input tokens of the call's input at most.
 */
export function findRoom(
  { config, tokensUsed, cost }: Pick<AgentState, 'config' | 'tokensUsed' | 'cost'>,
  input: number,
  costLimit: CostLimit | undefined,
): { tokens: number; budget: 'token_budget' | 'cost_budget' } {
  const tokens = config.tokenBudget - tokensUsed;
  if (costLimit === undefined) return { tokens, budget: 'token_budget' };
  const left = costLimit.usd - (cost?.usedUsd ?? 0);
  const paid = input + affordableReply(left, input, costLimit.price);
  return paid < tokens
    ? { tokens: paid, budget: 'cost_budget' }
    : { tokens, budget: 'token_budget' };
}

/** What the budget knows of the call before; undefined before the first. */
export function lastCall({ progress }: Pick<Attempt, 'progress'>): LastCall | undefined {
  const last = progress.steps.at(-1);
  if (last === undefined) return undefined;
  const results = last.parts.flatMap((part) =>
    part.type === 'tool_use' ? [JSON.stringify([part.id, progress.results.get(part.id)])] : [],
  );
  const told = progress.notices.filter(({ afterStep }) => afterStep === last.step);
  const heard = progress.joined.filter(({ afterStep }) => afterStep === last.step);
  const added = [...results, ...[...told, ...heard].map(({ text }) => text)];
  const reply = JSON.stringify(last.parts);
  return { usage: last.usage, endedAt: last.endedAt.getTime(), reply, added };
}
