import type { Usage } from '../../../storage/shapes/stored-step.js';
import type { AgUiUsage } from './ag-ui-event.js';

/**
 * Usage with one more model call. The protocol counts cached tokens as a part of the input, not
 * beside it.
 */
export function addCall(
  all: readonly AgUiUsage[],
  model: string,
  usage: Usage,
): readonly AgUiUsage[] {
  const { outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const inputTokens = usage.inputTokens + cacheReadTokens + cacheWriteTokens;
  const before = all.find((one) => one.model === model);
  const thought = addReported(before?.reasoningTokens, usage.thinkingTokens);
  const sum: AgUiUsage = {
    model,
    inputTokens: inputTokens + (before?.inputTokens ?? 0),
    outputTokens: outputTokens + (before?.outputTokens ?? 0),
    totalTokens: inputTokens + outputTokens + (before?.totalTokens ?? 0),
    cachedInputTokens: cacheReadTokens + (before?.cachedInputTokens ?? 0),
    cacheWriteInputTokens: cacheWriteTokens + (before?.cacheWriteInputTokens ?? 0),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
  };
  return before === undefined ? [...all, sum] : all.map((one) => (one === before ? sum : one));
}

function addReported(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
