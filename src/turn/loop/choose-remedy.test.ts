import { describe, expect, it } from '@jest/globals';
import { providerError, streamClosedEarly, unanswered } from '../../provider/provider-errors.js';
import {
  chooseRemedy,
  nextFallback,
  type FallbackReason,
  type FailedCall,
  type Remedy,
} from './remedies.js';

function refused(reason: 'OVERLOADED' | 'MODEL_NOT_FOUND' | 'SPEND_LIMIT', inStream = false) {
  const facts = inStream ? { inStream } : {};
  return providerError({
    relayed: { status: 529, retryable: false },
    category: 'API_RESPONSE_ERROR',
    reason,
    message: 'no',
    facts,
  });
}

function answered(
  status: number,
  category: 'API_RESPONSE_ERROR' | 'RATE_LIMITED' | 'INVALID_API_KEY' = 'API_RESPONSE_ERROR',
  retryable = true,
) {
  return providerError({ relayed: { status, retryable }, category, message: 'no' });
}

const cut = refused('OVERLOADED', true);

const lost = (more: Partial<FailedCall>): FailedCall => ({
  outcome: cut,
  hasText: false,
  retries: 0,
  maxRetries: 2,
  fallbackModel: undefined,
  leftMs: 60_000,
  random: 1,
  ...more,
});

const again = (afterMs: number, retry = 1, maxRetries = 2): Remedy => ({
  type: 'retry',
  afterMs,
  retry,
  maxRetries,
});
const fallback = (reason: FallbackReason): Remedy => ({
  type: 'fallback',
  model: 'b',
  reason,
});

describe('chooseRemedy', () => {
  it.each<[string, Partial<FailedCall>, Remedy | undefined]>([
    ['an overload in the stream', {}, again(500)],
    ['a second one', { retries: 1 }, again(1_000, 2)],
    ['by chance half as late', { retries: 1, random: 0 }, again(500, 2)],
    [
      'a late one waits no longer than others',
      { retries: 9, maxRetries: 10 },
      again(8_000, 10, 10),
    ],
    ['one too many', { retries: 2 }, undefined],
    [
      'one too many, with another model',
      { retries: 2, fallbackModel: 'b' },
      fallback('overloaded'),
    ],
    ['no retries at all', { maxRetries: 0 }, undefined],
    ['no time for one', { leftMs: 499 }, undefined],
    ['after text', { hasText: true, fallbackModel: 'b' }, undefined],
    ['before the stream, where the SDK has tried', { outcome: refused('OVERLOADED') }, undefined],
    [
      'before the stream, with another model',
      { outcome: refused('OVERLOADED'), fallbackModel: 'b' },
      fallback('overloaded'),
    ],
    [
      'a model that is gone',
      { outcome: refused('MODEL_NOT_FOUND'), fallbackModel: 'b' },
      fallback('model-not-found'),
    ],
    ['a model that is gone, and no other', { outcome: refused('MODEL_NOT_FOUND') }, undefined],
    ['a refusal, and no other model', { outcome: 'refusal' }, undefined],
    [
      'a refusal, also after text',
      { outcome: 'refusal', hasText: true, fallbackModel: 'b' },
      fallback('refusal'),
    ],
    ['a spend limit', { outcome: refused('SPEND_LIMIT'), fallbackModel: 'b' }, undefined],
    ['a broken connection, and no other model', { outcome: streamClosedEarly() }, undefined],
    [
      'a broken connection',
      { outcome: streamClosedEarly(), fallbackModel: 'b' },
      fallback('unavailable'),
    ],
    [
      'a broken connection, after text',
      { outcome: streamClosedEarly(), hasText: true, fallbackModel: 'b' },
      undefined,
    ],
    ['no answer', { outcome: unanswered(), fallbackModel: 'b' }, fallback('unavailable')],
    [
      'a long pause',
      { outcome: answered(429, 'RATE_LIMITED', true), fallbackModel: 'b' },
      fallback('rate-limited'),
    ],
    [
      'a fault of the place',
      { outcome: answered(500), fallbackModel: 'b' },
      fallback('unavailable'),
    ],
    [
      'a refused key',
      { outcome: answered(401, 'INVALID_API_KEY', false), fallbackModel: 'b' },
      undefined,
    ],
    [
      'a refused request',
      { outcome: answered(400, 'API_RESPONSE_ERROR', false), fallbackModel: 'b' },
      undefined,
    ],
    ['a fault of ours', { outcome: new Error('OVERLOADED'), fallbackModel: 'b' }, undefined],
  ])('%s', (_what, call, remedy) => {
    expect(chooseRemedy(lost(call))).toEqual(remedy);
  });
});

describe('the next model', () => {
  it.each<[string, string | undefined, string | undefined, string[], string | undefined]>([
    ['a', undefined, 'b', [], 'b'],
    ['a', undefined, undefined, ['b', 'c'], 'b'],
    ['a', undefined, 'a', ['b'], 'b'],
    ['b', 'a', 'b', ['c'], 'c'],
    ['b', 'a', 'b', ['a', 'c'], 'c'],
    ['c', 'a', 'b', ['c'], undefined],
    ['b', 'a', 'b', [], undefined],
    ['a', undefined, undefined, [], undefined],
  ])('of %s, begun with %s, of %s and %j', (model, from, first, others, next) => {
    const options = {
      model,
      ...(from === undefined ? {} : { fallbackFrom: from }),
      ...(first === undefined ? {} : { fallbackModel: first }),
      fallbackModels: others,
    };
    expect(nextFallback(options)).toBe(next);
  });
});
