import type { KnownTerminationReason } from '../decision-tree/agent-state.js';

const known: Readonly<Record<KnownTerminationReason, true>> = {
  cancelled: true,
  completed: true,
  max_iterations: true,
  token_budget: true,
  cost_budget: true,
  timeout: true,
  no_progress: true,
  error_limit: true,
};

/** Words that mean another end on our wires: no decision tree may call one of its own so. */
export const reservedReasons: ReadonlySet<string> = new Set([
  'continue',
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

/** Whether a reason is one that this server gives, and not a decision tree's own. */
export function isKnownReason(reason: string): reason is KnownTerminationReason {
  return Object.hasOwn(known, reason);
}
