import { describe, expect, it } from '@jest/globals';
import { parseRefusal, parseRetryAfter } from './client-errors.js';

const now = Date.parse('2026-01-01T00:00:00Z');
const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  parseRefusal(
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers }),
    now,
  );

describe('parseRefusal', () => {
  it('reads the API’s own errors', async () => {
    const body = { error: { type: 'QUEUE_FULL', message: 'Wait.', details: { depth: 3 } } };
    expect(await read(429, body, { 'retry-after': '2' })).toMatchObject({
      code: 'QUEUE_FULL',
      message: 'Wait.',
      status: 429,
      details: { depth: 3 },
      retryable: true,
      retryAfterMs: 2_000,
    });
  });

  it('reads what is wrong with settings, field by field', async () => {
    const detail = [
      { loc: ['body', 'max_iterations'], msg: 'a', type: 'int_type' },
      { loc: ['body', 'x'], msg: 'b', type: 'extra' },
    ];
    expect(await read(422, { detail })).toMatchObject({
      code: 'INVALID_REQUEST',
      message: 'a; b',
      details: detail,
      retryable: false,
    });
  });

  it('reads problem details', async () => {
    const problem = { title: 'Agent not found', detail: 'There is no agent x.', status: 404 };
    expect(await read(404, problem)).toMatchObject({
      code: 'Agent not found',
      message: 'There is no agent x.',
    });
  });

  it.each([
    [502, '<html>', true],
    [503, '', true],
    [500, '', false],
    [404, 'null', false],
    [408, '[]', true],
  ])('makes something of a %i with the body %j', async (status, body, retryable) => {
    expect(await read(status, body)).toMatchObject({ code: `HTTP_${status}`, status, retryable });
  });

  it('believes a server that says it will not help', async () => {
    const body = { error: { type: 'MISSING_API_KEY', message: 'Set one.' } };
    expect(await read(503, body)).toMatchObject({ retryable: false });
  });

  it.each([
    [
      'the API',
      (advice: object) => ({ error: { type: 'SDK_FAILURE', message: 'No.', ...advice } }),
    ],
    ['settings', (advice: object) => ({ detail: [], ...advice })],
    ['problem details', (advice: object) => ({ title: 'Agent error', status: 429, ...advice })],
  ])('takes the advice of %s before its own rules', async (_what, body) => {
    const waits = { retryable: true, retryAfterMs: 1_500, requestId: 'req_1' };
    expect(await read(500, body(waits))).toMatchObject(waits);
    const stops = { retryable: false, requestId: 'req_1' };
    expect(await read(429, body(stops), { 'retry-after': '9' })).toMatchObject(stops);
  });
});

describe('parseRetryAfter', () => {
  it.each([
    ['5', 5_000],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:07 GMT', 7_000],
    ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('reads %j as %j ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });
});
