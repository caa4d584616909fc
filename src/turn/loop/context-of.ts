import { estimateAdded } from '../budgets/estimate-call.js';
import { contextTokens } from '../state/turn-context.js';
import type { TurnRun } from '../state/turn-run.js';

/**
 * How full the model's window is: what the provider reported of the last call, and an estimate of
 * what came since.
 */
export function contextOf(run: TurnRun): { tokens: number; window: number } {
  const { frame, progress, watch } = run;
  const window = frame.model.contextWindow;
  const last = progress.steps.at(-1);
  const before = last === undefined ? watch.contextBefore : contextTokens(last.usage);
  return { tokens: before + estimateAdded(run), window };
}
