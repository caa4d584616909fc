import type { Usage } from '../../storage/shapes/stored-step.js';

/** Tokens of one call: the whole prompt, and the model's reply. */
export function contextTokens(usage: Usage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}

/** Tokens of a conversation at the end of its last step that reached the model. */
export function contextBefore(turns: readonly { steps: readonly { usage: Usage }[] }[]): number {
  const counts = turns.flatMap(({ steps }) => steps.map(({ usage }) => contextTokens(usage)));
  return counts.findLast((count) => count > 0) ?? 0;
}
