import { describe, expect, it } from '@jest/globals';
import { noUsage } from '../../../events/turn-event.js';
import { addCall } from './ag-ui-frames.js';

describe('addCall', () => {
  it('counts cached input as a part of the input, for each model', () => {
    const usage = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 };
    const counted = {
      model: 'm',
      inputTokens: 8,
      outputTokens: 2,
      totalTokens: 10,
      cachedInputTokens: 3,
      cacheWriteInputTokens: 4,
    };
    expect(addCall([], 'm', usage)).toEqual([counted]);
    expect(addCall([counted], 'other', usage)).toHaveLength(2);
    expect(addCall([counted], 'm', usage)[0]).toMatchObject({ totalTokens: 20 });
  });

  it('tells of thinking where some call said it', () => {
    const thought = addCall([], 'm', { ...noUsage, outputTokens: 9, thinkingTokens: 5 });
    expect(thought[0]).toMatchObject({ reasoningTokens: 5 });
    expect(addCall(thought, 'm', { ...noUsage, outputTokens: 1 })[0]?.reasoningTokens).toBe(5);
  });
});
