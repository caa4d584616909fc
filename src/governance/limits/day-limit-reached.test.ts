import { describe, expect, it } from '@jest/globals';
import { dayEndNote, dayLimitReached } from './day-budget.js';

const shortage = {
  limits: { tokensPerDay: 50_000, usdPerDay: 2 },
  used: { tokens: 49_990, microUsd: 1_987_654 },
  resetsAt: Date.parse('2026-01-02T00:00:00Z'),
};
const again = 'It starts again at midnight UTC (2026-01-02T00:00:00Z).';

describe.each([
  [
    'daily_token_budget' as const,
    'Daily token budget reached (49,990/50,000 tokens, with what other turns have reserved).',
    { current_value: 49_990, limit_value: 50_000, percent: 100, limit_type: 'daily_token' },
    "what is left of today's budget of 50,000 tokens is not enough for another reply.",
  ],
  [
    'daily_cost_budget' as const,
    'Daily cost limit reached ($1.9877/$2, with what other turns have reserved).',
    { current_value: 1.9877, limit_value: 2, percent: 100, limit_type: 'daily_cost' },
    "what is left of today's limit of $2 is not enough for another reply.",
  ],
])('%s', (budget, notice, metadata, why) => {
  it('is a notice to the client, with the time of the reset', () => {
    expect(dayLimitReached({ ...shortage, budget })).toEqual({
      kind: 'limit-reached',
      text: `${notice} ${again} Saving partial response.`,
      metadata: { ...metadata, resets_at: '2026-01-02T00:00:00Z' },
    });
  });

  it('closes the reply', () => {
    expect(dayEndNote({ ...shortage, budget }, true)).toBe(
      `[Stopped: ${why} ${again} What was found so far is above.]`,
    );
    expect(dayEndNote({ ...shortage, budget }, false)).toContain('There is no answer yet.');
  });
});
