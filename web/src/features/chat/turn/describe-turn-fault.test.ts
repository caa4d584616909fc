import { describe, expect, it } from '@jest/globals';
import { describeTurnFault } from './describe-turn-fault.js';
import { reduceTurn } from '../conversation/reduce-turn.js';
import { emptyTurn } from '../conversation/turn-view.js';

const failed = (more: object) => {
  const data = {
    phase: 'stream',
    errorType: 'SDK_FAILURE',
    status: 529,
    message: 'too busy',
    ...more,
  };
  const { fault } = reduceTurn(emptyTurn('turn_1'), { event: 'turn:error', data });
  if (fault === undefined) throw new Error('The frame left no fault');
  return describeTurnFault(fault);
};

describe('describeTurnFault', () => {
  it('says that it may succeed, and when, with what support asks for', () => {
    const details = { category: 'API_RESPONSE_ERROR', reason: 'OVERLOADED' };
    const advice = { retryable: true, retryAfterMs: 5_000, requestId: 'req_1' };
    expect(failed({ details, ...advice })).toEqual({
      text: 'Too busy. You can try again in 5.0 s.',
      code: 'SDK_FAILURE · OVERLOADED · req_1',
      isRetryable: true,
    });
    expect(failed({ retryable: true }).text).toBe('Too busy.');
  });

  it('says what to change where a repeat cannot help', () => {
    const details = { category: 'INVALID_API_KEY' };
    expect(failed({ message: 'The key is wrong.', retryable: false, details })).toEqual({
      text: 'The key is wrong. The same message would fail again.',
      code: 'SDK_FAILURE · INVALID_API_KEY',
      isRetryable: false,
    });
  });
});
