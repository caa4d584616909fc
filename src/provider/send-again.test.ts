import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { TypedError } from '../errors/typed-error.js';
import { providerError } from './provider-errors.js';
import { RetryNews, sendAgain, type Retrying, type SendAgainOptions } from './send-again.js';
import type { ModelEvent } from './model-types.js';

const failed = (more: { retryable?: boolean; retryAfterMs?: number; status?: number } = {}) =>
  providerError({
    relayed: { status: 500, retryable: true, ...more },
    category: 'API_RESPONSE_ERROR',
    message: 'No.',
  });

/** Sends until it is over, on a clock that moves to each pause's end. */
async function run(
  thrown: Error,
  { successAt = Infinity, ...more }: Partial<SendAgainOptions> & { successAt?: number } = {},
) {
  const clock = new ManualClock();
  const told: Retrying[] = [];
  const tries: number[] = [];
  const options: SendAgainOptions = {
    clock,
    signal: new AbortController().signal,
    maxRetries: 2,
    toError: (one) => one as TypedError,
    tell: (event) => told.push(event),
    ...more,
  };
  const send = async (failures: number): Promise<string> => {
    tries.push(failures);
    await Promise.resolve();
    if (failures < successAt) throw thrown;
    return 'sent';
  };
  const sending = Promise.allSettled([sendAgain(send, options)]);
  for (let turns = 0; turns < 5; turns += 1) await clock.advance(30_000);
  const [sent] = await sending;
  const end: unknown = sent.status === 'fulfilled' ? sent.value : sent.reason;
  return { end, tries, pauses: told.map(({ afterMs }) => afterMs), told };
}

describe('sendAgain', () => {
  it('sends again what may pass, with the number of the try, and tells each pause', async () => {
    const { end, tries, told } = await run(failed(), { successAt: 2 });
    expect([end, tries]).toEqual(['sent', [0, 1, 2]]);
    expect(told.map(({ retry, maxRetries }) => [retry, maxRetries])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    const [first = 0, second = 0] = told.map(({ afterMs }) => afterMs);
    expect(first >= 250 && first <= 500 && second >= 500 && second <= 1_000).toBe(true);
  });

  it('throws the last error when no try is left', async () => {
    const error = failed();
    expect(await run(error)).toMatchObject({ end: error, tries: [0, 1, 2] });
  });

  it.each([
    ['what cannot pass', failed({ retryable: false }), {}],
    ['what asks for a longer pause than half a minute', failed({ retryAfterMs: 30_001 }), {}],
    ['what the provider does not want again', failed(), { wanted: () => false }],
  ])('does not send again %s', async (_what, error, more) => {
    expect(await run(error, more)).toMatchObject({ end: error, tries: [0], told: [] });
  });

  it('takes what the provider says: a pause, and that it wants the request', async () => {
    expect(await run(failed({ retryAfterMs: 7_000 }))).toMatchObject({ pauses: [7_000, 7_000] });
    const wanted = () => true;
    expect(await run(failed({ retryable: false }), { wanted })).toMatchObject({ tries: [0, 1, 2] });
  });

  it('ends in a pause with the reason of the signal', async () => {
    const call = new AbortController();
    const reason = new Error('The turn was stopped');
    const tell = () => call.abort(reason);
    const { end, tries } = await run(failed(), { signal: call.signal, tell });
    expect([end, tries]).toEqual([reason, [0]]);
  });
});

describe('RetryNews', () => {
  it('has every retry for its reader once, also those before it came', () => {
    const news = new RetryNews();
    const event = (retry: number): Retrying => ({
      type: 'retrying',
      retry,
      maxRetries: 3,
      afterMs: 1,
      reason: 'unavailable',
    });
    const read: ModelEvent[] = [];
    news.tell(event(1));
    news.readBy((events) => read.push(...events));
    news.tell(event(2));
    expect(read).toEqual([event(1), event(2)]);
  });
});
