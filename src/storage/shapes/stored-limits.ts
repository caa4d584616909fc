/** The limits of an agent's turn. Names on every wire: the snake_case of these. */
export interface AgentConfig {
  maxIterations: number;
  softWarningPercent: number;
  tokenBudget: number;
  tokenWarningPercent: number;
  timeoutSeconds: number;
  maxToolCallsPerTurn: number;
  maxParallelTools: number;
}

/** What a principal may use on a day in UTC; 0: no limit. */
export interface DayLimits {
  tokensPerDay: number;
  usdPerDay: number;
}

/** What a model costs, in US dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
  /** Of what is written to the provider's cache, by how long it is kept. Absent: 1.25 times input. */
  cacheWrite5m?: number;
  /** Absent: twice the input. */
  cacheWrite1h?: number;
  /** Absent: a tenth of the input. */
  cacheRead?: number;
  /** Of a thousand searches of the web that the provider makes. Absent: `WEB_SEARCHES`. */
  webSearches?: number;
  /** What a whole call costs instead whose prompt has more tokens than `above`. */
  longPrompt?: Omit<Price, 'longPrompt'> & { above: number };
}

/** What a turn may cost at most, and by which price that is counted. */
export interface CostLimit {
  usd: number;
  price: Price;
}
