import { estimateAdded } from '../budgets/estimate-call.js';
import { contextTokens } from '../state/turn-context.js';
import type { TurnRun } from '../state/turn-run.js';

/**
 * Tokens in the model's window: the provider's report of the last call, and an estimate of the
 * rest.
 */
export function contextOf(run: TurnRun): { tokens: number; window: number } {
  const { frame, progress, watch } = run;
  const window = frame.model.contextWindow;
  const last = progress.steps.at(-1);
  const before = last === undefined ? watch.contextBefore : contextTokens(last.usage);
  return { tokens: before + estimateAdded(run), window };
}
