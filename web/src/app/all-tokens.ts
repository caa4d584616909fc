import type { Usage } from '../../../src/events/turn-event.js';

/** All that went in and came out, most of which comes from the provider's cache. Pure. */
export function allTokens(usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
