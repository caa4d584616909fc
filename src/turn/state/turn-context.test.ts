import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../events/turn-event.js';
import { contextBefore } from './turn-context.js';

const said = (inputTokens: number) => ({ usage: { ...noUsage, inputTokens, cacheReadTokens: 5 } });
const failed = { usage: noUsage };

describe('contextBefore', () => {
  it.each([
    ['no turn', [], 0],
    ['the last step', [{ steps: [said(1)] }, { steps: [said(2), said(3)] }], 8],
    ['the last step that reached the model', [{ steps: [said(1), failed] }, { steps: [] }], 6],
    ['none that did', [{ steps: [failed] }], 0],
  ])('of %s', (_name, turns, tokens) => {
    expect(contextBefore(turns)).toBe(tokens);
  });
});
