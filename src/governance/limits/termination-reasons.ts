import type { KnownTerminationReason } from '../decision-tree/agent-state.js';

/** The limits that end a turn, by the names that `turn.ended` and stored turns have for them. */
export type LimitReason =
  | 'max_turns'
  | Exclude<KnownTerminationReason, 'completed' | 'max_iterations'>;

/** A decision tree's reasons, and the limit that each stands for. */
const limits: Readonly<Record<KnownTerminationReason, LimitReason | undefined>> = {
  completed: undefined,
  max_iterations: 'max_turns',
  token_budget: 'token_budget',
  cost_budget: 'cost_budget',
  timeout: 'timeout',
  no_progress: 'no_progress',
  error_limit: 'error_limit',
};

/** Words that mean another end on our wires: no decision tree may call one of its own so. */
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

/** Whether a reason is one that this server gives, and not a decision tree's own. */
export function isKnownReason(reason: string): reason is KnownTerminationReason {
  return Object.hasOwn(limits, reason);
}

/** The limit that a tree's reason stands for; undefined for an end that is none. */
export function limitOf(reason: KnownTerminationReason): LimitReason | undefined {
  return limits[reason];
}

/** Whether the reason of a turn's end is a limit of the turn. */
export function isLimit(reason: string): reason is LimitReason {
  return Object.values<string | undefined>(limits).includes(reason);
}
