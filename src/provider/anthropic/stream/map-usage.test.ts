import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../../events/turn-event.js';
import { mapUsage } from './map-usage.js';

describe('mapUsage', () => {
  const start = {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: 5,
  };
  const known = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 5 };

  it('takes nulls as 0 and counts cached input apart', () => {
    expect(mapUsage(noUsage, start)).toEqual(known);
  });

  it.each([
    [
      'a later report wins',
      { output_tokens: 9, cache_read_input_tokens: 3 },
      { ...known, outputTokens: 9, cacheReadTokens: 3 },
    ],
    ['also with a smaller number', { input_tokens: 4 }, { ...known, inputTokens: 4 }],
    [
      'null keeps what was known',
      { input_tokens: null, output_tokens: 2 },
      { ...known, outputTokens: 2 },
    ],
    [
      'cache writes are split by TTL, and thinking is apart',
      {
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
        output_tokens_details: { thinking_tokens: 1 },
      },
      { ...known, cacheWrite5mTokens: 3, cacheWrite1hTokens: 2, thinkingTokens: 1 },
    ],
    [
      'details that are null stay unsaid',
      { cache_creation: null, output_tokens_details: null },
      known,
    ],
    ['nonsense keeps what was known', { input_tokens: 'x', output_tokens: -1 }, known],
    [
      'searches are counted where there were any',
      { server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } },
      { ...known, webSearches: 2 },
    ],
    ['and leave no trace where there were none', { server_tool_use: null }, known],
    ['no report keeps what was known', null, known],
  ])('%s', (_rule, report, usage) => {
    expect(mapUsage(known, report)).toEqual(usage);
  });

  it('keeps details that a later report leaves out', () => {
    const reported = mapUsage(known, { output_tokens_details: { thinking_tokens: 7 } });
    expect(mapUsage(reported, { output_tokens: 20 })).toMatchObject({ thinkingTokens: 7 });
  });
});
