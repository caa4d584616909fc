import type { Of, OracleChunk } from './oracle-chunk.js';

/** Share of the model's window by which usage moves before it is sent again. */
const THRESHOLD = 0.05;

/** Tokens of the conversation as the model last saw it, its reply included. */
export interface OracleContext {
  tokens: number | undefined;
  /** Tokens in the chunk that was sent last. */
  sent: number;
}

export const noContext: OracleContext = { tokens: undefined, sent: 0 };

/** @param window of the model, in tokens; without one there is nothing to compare with. */
export function updateContext(
  context: OracleContext,
  { usage }: Of<'step.ended'>,
  window: number | undefined,
): { context: OracleContext; chunks: OracleChunk[] } {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  const tokens = inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
  // A call that was cut before the provider reported anything.
  if (tokens === 0) return { context, chunks: [] };
  if (window === undefined || Math.abs(tokens - context.sent) < THRESHOLD * window) {
    return { context: { ...context, tokens }, chunks: [] };
  }
  return {
    context: { tokens, sent: tokens },
    chunks: [{ type: 'context_update', context_tokens: tokens, max_context_tokens: window }],
  };
}
