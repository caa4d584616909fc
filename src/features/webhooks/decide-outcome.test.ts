import { describe, expect, it } from '@jest/globals';
import { decideOutcome, retryDelaysMs, type TryResult } from './decide-outcome.js';

const answered = (status: number, retryAfterMs?: number): TryResult => ({
  type: 'answered',
  status,
  retryAfterMs,
  body: '',
});
const failed: TryResult = { type: 'failed', reason: 'the connection failed: ECONNREFUSED' };
/** The middle of the jitter. */
const middle = 0.5;
const hour = 3_600_000;

describe('decideOutcome', () => {
  it.each([200, 201, 204, 299])('takes %d for delivered', (status) => {
    expect(decideOutcome(answered(status), 3, middle)).toEqual({ type: 'delivered' });
  });

  it.each([199, 301, 302, 308, 400, 401, 404, 500, 503])('tries again after %d', (status) => {
    expect(decideOutcome(answered(status), 0, middle)).toMatchObject({
      type: 'retry',
      delayMs: 5_000,
    });
  });

  it('says of a redirect that it is not followed', () => {
    expect(decideOutcome(answered(302), 0, middle)).toMatchObject({
      reason: 'the endpoint answered 302: redirects are not followed',
    });
  });

  it('has the schedule of Standard Webhooks, and then gives up', () => {
    const outcomes = Array.from({ length: 10 }, (_, failures) =>
      decideOutcome(failed, failures, middle),
    );
    expect(
      outcomes.map((outcome) => (outcome.type === 'retry' ? outcome.delayMs : outcome)),
    ).toEqual([
      5_000,
      300_000,
      1_800_000,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      { type: 'dead', reason: failed.type === 'failed' ? failed.reason : '' },
    ]);
  });

  it('spreads the delays by a tenth', () => {
    const delays = [0, 0.999_999].map((random) => decideOutcome(failed, 1, random));
    expect(delays).toMatchObject([{ delayMs: 270_000 }, { delayMs: 330_000 }]);
  });

  it('disables an endpoint that is gone', () => {
    expect(decideOutcome(answered(410), 0, middle).type).toBe('gone');
  });

  it.each([429, 502, 504])('leaves an endpoint alone for a while after %d', (status) => {
    expect(decideOutcome(answered(status), 0, middle)).toMatchObject({ pauseMs: 30_000 });
    expect(decideOutcome(answered(status, 90_000), 0, middle)).toMatchObject({
      delayMs: 90_000,
      pauseMs: 90_000,
    });
    expect(decideOutcome(answered(status), retryDelaysMs.length, middle)).toMatchObject({
      type: 'dead',
      pauseMs: 30_000,
    });
  });

  it('bounds what an endpoint asks for', () => {
    expect(decideOutcome(answered(429, 1e12), 0, middle)).toMatchObject({
      delayMs: 24 * hour,
      pauseMs: hour,
    });
  });

  it('takes a Retry-After that is longer than its own delay, with any status', () => {
    expect(decideOutcome(answered(503, 60_000), 0, middle)).toEqual({
      type: 'retry',
      reason: 'the endpoint answered 503',
      delayMs: 60_000,
    });
    expect(decideOutcome(answered(503, 60_000), 1, middle)).toMatchObject({ delayMs: 300_000 });
  });
});
