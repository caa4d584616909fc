import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import { contextBefore } from './turn-state.js';

const stepOf = (inputTokens: number) => ({
  usage: { ...noUsage, inputTokens, cacheReadTokens: 5 },
});
const failed = { usage: noUsage };

describe('contextBefore', () => {
  it.each([
    ['no turn', [], 0],
    ['the last step', [{ steps: [stepOf(1)] }, { steps: [stepOf(2), stepOf(3)] }], 8],
    ['the last step that reached the model', [{ steps: [stepOf(1), failed] }, { steps: [] }], 6],
    ['none that did', [{ steps: [failed] }], 0],
  ])('of %s', (_name, turns, tokens) => {
    expect(contextBefore(turns)).toBe(tokens);
  });
});
