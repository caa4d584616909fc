import type { KnownTerminationReason } from '../decision-tree/agent-state.js';

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
