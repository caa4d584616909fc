import type { Usage } from '#src/storage/shapes/stored-step.js';

/** Input, output and cached tokens together. Pure. */
export function allTokens(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
