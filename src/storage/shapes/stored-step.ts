/** Tokens as the provider reported them. Cached input is not part of `inputTokens`. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** The parts of `cacheWriteTokens` by their TTL. Absent where the provider does not report it. */
  cacheWrite5mTokens?: number;
  cacheWrite1hTokens?: number;
  /** The part of `outputTokens` that is thinking. Absent where the provider does not report it. */
  thinkingTokens?: number;
  /**
   * Tokens that the step or turn added to its conversation, which `token_budget` counts: messages,
   * results and notices, estimated, and `outputTokens`. Absent in rows of earlier versions.
   */
  addedTokens?: number;
  /** US dollars, by the price at that time. Absent where no price was known. */
  costUsd?: number;
  /** Web searches by the provider, each for a fee. Absent: none. */
  webSearches?: number;
}

export const stepStopReasons = [
  'end_turn',
  'tool_use',
  'max_tokens',
  'pause_turn',
  'refusal',
  'stop_sequence',
  'context_window',
  'interrupted',
  'failed',
] as const;
export type StepStopReason = (typeof stepStopReasons)[number];

/** The outcome of a tool call, as readers see it. */
export const toolStatuses = ['success', 'error', 'denied', 'unknown'] as const;
export type ToolStatus = (typeof toolStatuses)[number];
