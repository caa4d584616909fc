import type { Usage } from '../../events/turn-event.js';
import { isPlainObject } from '../../platform/json.js';

/**
 * Usage after one more report of the stream. Reports are cumulative, so what a report says
 * replaces what was known; what it leaves out or gives as null stays. Start with `noUsage`.
 */
export function mapUsage(known: Usage, report: unknown): Usage {
  if (!isPlainObject(report)) return known;
  return {
    inputTokens: tokens(report['input_tokens'], known.inputTokens),
    outputTokens: tokens(report['output_tokens'], known.outputTokens),
    cacheReadTokens: tokens(report['cache_read_input_tokens'], known.cacheReadTokens),
    cacheWriteTokens: tokens(report['cache_creation_input_tokens'], known.cacheWriteTokens),
  };
}

function tokens(value: unknown, known: number): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : known;
}
