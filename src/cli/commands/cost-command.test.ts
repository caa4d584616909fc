import { describe, expect, it } from '@jest/globals';
import type { StepView } from '../../client/turnpike-client.js';
import { tableOfCosts, tellMisses } from './cost-command.js';

const step = (more: Partial<StepView>): StepView => ({
  stepId: 'msg_1-step-1',
  step: 1,
  status: 'completed',
  stopReason: 'end_turn',
  model: 'claude-opus-5-5',
  usage: {
    inputTokens: 12,
    outputTokens: 340,
    cacheReadTokens: 0,
    cacheWriteTokens: 12_000,
    costUsd: 0.068,
  },
  startedAt: '2026-11-30T10:00:00.000Z',
  endedAt: '2026-11-30T10:00:09.000Z',
  parts: [],
  notices: [],
  ...more,
});

const late = step({
  step: 2,
  cacheMiss: { tokens: 12_000, cause: 'expired', usd: 0.0576 },
});

describe('the cost of a turn', () => {
  it('has a row a step', () => {
    expect(tableOfCosts([step({}), late]).rows).toEqual([
      ['1', 'claude-opus-5-5', '12', '0', '12,000', '', '340', '$0.0680'],
      ['2', 'claude-opus-5-5', '12', '0', '12,000', '12,000', '340', '$0.0680'],
    ]);
  });

  it('is said in words, with what was paid again and why', () => {
    expect(tellMisses([step({}), late])).toEqual([
      '$0.1360 for 2 model calls. What the cache had was paid for again, for $0.0576 more.',
      'Step 2 missed 12,000 tokens: the call came after the lifetime of the cache.',
    ]);
    expect(tellMisses([step({})])).toEqual([
      '$0.0680 for 1 model call. Nothing that the cache had was paid for again.',
    ]);
  });

  it('is not summed where a price is not known', () => {
    const { costUsd: _costUsd, ...unpriced } = step({}).usage;
    expect(tellMisses([step({ usage: unpriced })])).toEqual([
      'The price of a model is not known: TURNPIKE_MODELS can say it. Nothing that the cache had was paid for again.',
    ]);
    const { usd: _usd, ...miss } = late.cacheMiss ?? { tokens: 0, cause: 'expired' };
    expect(tellMisses([{ ...late, cacheMiss: miss }])[0]).toContain(
      'What the cache had was paid for again.',
    );
  });
});
