/** Limits of an agent's turn. Wires use the same names in snake_case. */
export interface AgentConfig {
  maxIterations: number;
  softWarningPercent: number;
  tokenBudget: number;
  tokenWarningPercent: number;
  timeoutSeconds: number;
  maxToolCallsPerTurn: number;
  maxParallelTools: number;
}

/** Daily limits of a principal, in UTC; 0: no limit. */
export interface DayLimits {
  tokensPerDay: number;
  usdPerDay: number;
}

/** Price of a model, in US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Writes to the provider's cache for five minutes. Absent: 1.25 times the input. */
  cacheWrite5m?: number;
  /** Writes to the provider's cache for an hour. Absent: twice the input. */
  cacheWrite1h?: number;
  /** Reads of the provider's cache. Absent: a tenth of the input. */
  cacheRead?: number;
  /** A thousand web searches by the provider. Absent: `WEB_SEARCHES`. */
  webSearches?: number;
  /** Price of a whole call with a prompt of more than `above` tokens. */
  longPrompt?: Omit<Price, 'longPrompt'> & { above: number };
}

/** A turn's cost limit, with the price that it is counted by. */
export interface CostLimit {
  usd: number;
  price: Price;
}
