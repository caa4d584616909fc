import type { Usage } from '../events/turn-event.js';
import type { TurnRun } from './turn-run.js';

/** Characters that are counted as one token where the provider has not said. */
const CHARACTERS_PER_TOKEN = 4;

/** All that one call put before the model, and what the model said. */
export function contextTokens(usage: Usage): number {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}

/** Tokens of a conversation at the end of its last step that reached the model. */
export function contextBefore(turns: readonly { steps: readonly { usage: Usage }[] }[]): number {
  const counts = turns.flatMap(({ steps }) => steps.map(({ usage }) => contextTokens(usage)));
  return counts.findLast((count) => count > 0) ?? 0;
}

/**
 * How full the model's window is: what the provider reported of the last call, and an estimate of
 * what came since.
 */
export function contextOf({ frame, progress, watch }: TurnRun): { tokens: number; window: number } {
  const window = frame.model.contextWindow;
  const last = progress.steps.at(-1);
  if (last === undefined) return { tokens: watch.contextBefore, window };
  const added = last.parts.reduce((sum, part) => {
    const output = part.type === 'tool_use' ? progress.results.get(part.id)?.output : undefined;
    return sum + (output?.length ?? 0);
  }, 0);
  return { tokens: contextTokens(last.usage) + Math.ceil(added / CHARACTERS_PER_TOKEN), window };
}
