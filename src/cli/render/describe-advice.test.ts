import { describe, expect, it } from '@jest/globals';
import { describeAdvice } from './explain-failure.js';

describe('describeAdvice', () => {
  it.each([
    [{}, ''],
    [{ retryable: true }, ' [retryable]'],
    [{ retryable: true, retryAfterMs: 1_200 }, ' [retryable after 2 s]'],
    [{ retryable: false, requestId: 'req_1' }, ' [not retryable, request req_1]'],
    [{ retryable: 'yes', retryAfterMs: '5', requestId: 7 }, ''],
    [{ requestId: 'req\u001b[2J' }, ' [request req]'],
  ])('%j is shown as %j', (advice, shown) => {
    expect(describeAdvice(advice)).toBe(shown);
  });
});
