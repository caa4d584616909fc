import { describe, expect, it } from '@jest/globals';
import { formatFilters, parseFilters, toQuery } from './turn-filters.js';

const now = Date.parse('2026-01-02T00:00:00.000Z');

describe('the filters of the page of turns', () => {
  it.each([
    ['', {}],
    ['status=failed&of=all', { of: 'all', status: 'failed' }],
    ['agent=EDITOR&range=24h&x=1&tool=+', { agent: 'EDITOR', range: '24h' }],
  ])('are in its URL: %s', (search, filters) => {
    expect(parseFilters(search)).toEqual(filters);
    expect(parseFilters(formatFilters(filters))).toEqual(filters);
  });

  it.each([
    [{}, {}],
    [{ of: 'all', status: 'failed' }, { status: 'failed' }],
    [{ id: 'sess_1' }, { session: 'sess_1' }],
    [{ id: 'turn_1' }, { id: 'turn_1' }],
    [{ range: '24h' }, { since: '2026-01-01T00:00:00.000Z' }],
    [{ range: 'ever' }, {}],
    [
      { took: '1.5', cost: '0.02' },
      { minDurationMs: 1_500, minCostUsd: '0.02' },
    ],
    [{ took: 'long' }, { minDurationMs: 'long' }],
  ])('ask the server: %j', (filters, query) => {
    expect(toQuery(filters, now)).toEqual(query);
  });
});
