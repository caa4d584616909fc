import type { Usage } from '../../../storage/shapes/stored-step.js';
import { compact } from '../../../platform/compact.js';
import { isPlainObject } from '../../../platform/json.js';

/**
 * The usage after one more report of the stream. Reports are cumulative: a value replaces the known
 * one; a value that is missing or null leaves it. Start with `noUsage`.
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

/** A detail; absent until a report has it. */
function optional(name: Detail, value: unknown, known: Usage): Partial<Record<Detail, number>> {
  return compact({ [name]: isCount(value) ? value : known[name] });
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

/** Web searches; absent where there were none, as in rows of earlier versions. */
function webSearches(report: unknown, { webSearches: before = 0 }: Usage): Partial<Usage> {
  const made = isPlainObject(report) ? tokens(report['web_search_requests'], before) : before;
  return made === 0 ? {} : { webSearches: made };
}
