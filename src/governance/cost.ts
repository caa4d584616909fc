import type { Usage } from '../events/turn-event.js';

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
  /** What a whole call costs instead whose prompt has more tokens than `above`. */
  longPrompt?: Omit<Price, 'longPrompt'> & { above: number };
}

/** What a turn may cost at most, and by which price that is counted. */
export interface CostLimit {
  usd: number;
  price: Price;
}

/** What the provider's cache costs against plain input: to be written, and to be read. */
const CACHE_WRITE = 1.25;
const CACHE_READ = 0.1;

const MILLION = 1_000_000;

/** US dollars. */
export function costOf(usage: Usage, { input, output }: Price): number {
  const { inputTokens, cacheWriteTokens, cacheReadTokens, outputTokens } = usage;
  const read = inputTokens + cacheWriteTokens * CACHE_WRITE + cacheReadTokens * CACHE_READ;
  return (read * input + outputTokens * output) / MILLION;
}

/** Tokens of a reply that what is left pays for, after an input that nothing of is cached. */
export function affordableReply(leftUsd: number, inputTokens: number, price: Price): number {
  const left = leftUsd - (inputTokens * CACHE_WRITE * price.input) / MILLION;
  return price.output === 0 ? Infinity : Math.floor((left * MILLION) / price.output);
}
