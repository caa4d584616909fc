import { describe, expect, it } from '@jest/globals';
import { providerError, streamClosedEarly } from '../../provider/provider-errors.js';
import { chooseRemedy, type FailedCall, type Remedy } from './remedies.js';

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

const retry = (afterMs: number): Remedy => ({ type: 'retry', afterMs });
const fallback = (reason: 'overloaded' | 'model-not-found' | 'refusal'): Remedy => ({
  type: 'fallback',
  model: 'b',
  reason,
});

describe('chooseRemedy', () => {
  it.each<[string, Partial<FailedCall>, Remedy | undefined]>([
    ['an overload in the stream', {}, retry(500)],
    ['a second one', { retries: 1 }, retry(1_000)],
    ['by chance half as late', { retries: 1, random: 0 }, retry(500)],
    ['a late one waits no longer than others', { retries: 9, maxRetries: 10 }, retry(8_000)],
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
    ['a broken connection', { outcome: streamClosedEarly(), fallbackModel: 'b' }, undefined],
    ['a fault of ours', { outcome: new Error('OVERLOADED'), fallbackModel: 'b' }, undefined],
  ])('%s', (_what, call, remedy) => {
    expect(chooseRemedy(lost(call))).toEqual(remedy);
  });
});
