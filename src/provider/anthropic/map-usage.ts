import type { Usage } from '../../events/turn-event.js';
import { isPlainObject } from '../../platform/json.js';

/**
 * Usage after one more report of the stream. Reports are cumulative, so what a report says
 * replaces what was known; what it leaves out or gives as null stays. Start with `noUsage`.
 */
export function mapUsage(known: Usage, report: unknown): Usage {
  if (!isPlainObject(report)) return known;
  const cached = object(report['cache_creation']);
  const output = object(report['output_tokens_details']);
  return {
    inputTokens: tokens(report['input_tokens'], known.inputTokens),
    outputTokens: tokens(report['output_tokens'], known.outputTokens),
    cacheReadTokens: tokens(report['cache_read_input_tokens'], known.cacheReadTokens),
    cacheWriteTokens: tokens(report['cache_creation_input_tokens'], known.cacheWriteTokens),
    ...optional('cacheWrite5mTokens', cached['ephemeral_5m_input_tokens'], known),
    ...optional('cacheWrite1hTokens', cached['ephemeral_1h_input_tokens'], known),
    ...optional('thinkingTokens', output['thinking_tokens'], known),
    ...webSearches(report['server_tool_use'], known),
  };
}

type Detail = 'cacheWrite5mTokens' | 'cacheWrite1hTokens' | 'thinkingTokens';

/** Absent until a report says it. */
function optional(name: Detail, value: unknown, known: Usage): Partial<Record<Detail, number>> {
  if (!isCount(value)) return known[name] === undefined ? {} : { [name]: known[name] };
  return { [name]: value };
}

function object(value: unknown): Record<string, unknown> {
  return isPlainObject(value) ? value : {};
}

function tokens(value: unknown, known: number): number {
  return isCount(value) ? value : known;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** Absent where none was made, as in what earlier versions stored. */
function webSearches(report: unknown, { webSearches: before = 0 }: Usage): Partial<Usage> {
  const made = isPlainObject(report) ? tokens(report['web_search_requests'], before) : before;
  return made === 0 ? {} : { webSearches: made };
}
