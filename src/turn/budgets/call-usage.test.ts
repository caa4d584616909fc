import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import type { StepDraft } from '../state/attempt.js';
import { countUsage, draftUsage, totalUsage } from './estimate-call.js';

const text = 'word '.repeat(100);
const price = { input: 1, output: 2 };
const draft = (more: Partial<StepDraft> = {}): StepDraft => ({
  step: 1,
  startedAt: new Date(0),
  parts: [],
  openText: [],
  openThinking: [],
  openInput: [],
  // Usage as `message_start` has it: the input, and a token of the reply.
  usage: { ...noUsage, inputTokens: 1_000, outputTokens: 1 },
  added: 50,
  sent: null,
  model: { tokenScale: 1 },
  price,
  ...more,
});

describe('draftUsage', () => {
  it.each<[string, Partial<StepDraft>, number]>([
    ['nothing', {}, 1],
    ['text', { openText: [text] }, 100],
    ['thinking', { openThinking: [text] }, 100],
    ['the input of a call', { openInput: [JSON.stringify({ text })] }, 105],
    ['whole parts and an open one', { parts: [{ type: 'text', text }], openText: [text] }, 205],
  ])('counts %s that came before the cut', (_what, more, tokens) => {
    const { outputTokens } = draftUsage(draft(more));
    expect(outputTokens / tokens).toBeGreaterThan(0.9);
    expect(outputTokens / tokens).toBeLessThan(1.1);
  });

  it('takes what the provider reported where that is more', () => {
    const usage = { ...noUsage, inputTokens: 10, outputTokens: 4_000 };
    expect(draftUsage(draft({ usage, openText: [text] })).outputTokens).toBe(4_000);
  });

  it('is part of what the turn was paid for, added and cost', () => {
    const cut = draft({ openText: [text] });
    const { outputTokens } = draftUsage(cut);
    const step = countUsage({ ...noUsage, inputTokens: 7, outputTokens: 3 }, { added: 7, price });
    const progress = {
      steps: [{ usage: step }],
      overhead: noUsage,
      sampled: new Map(),
      draft: cut,
    };
    const total = totalUsage({ progress, children: [] });
    expect(total).toMatchObject({
      inputTokens: 1_007,
      outputTokens: outputTokens + 3,
      addedTokens: 50 + outputTokens + 10,
    });
    expect(total.costUsd).toBeCloseTo((1_007 + 2 * (outputTokens + 3)) / 1e6, 12);
  });
});
