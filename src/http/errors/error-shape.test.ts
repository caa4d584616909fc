import { describe, expect, it } from '@jest/globals';
import { TypedError, invalidRequest } from '../../errors/typed-error.js';
import { toPublicError } from './error-shape.js';
import { formatFrame } from '../../wires/framing/dialect.js';

describe('toPublicError', () => {
  it('shows a typed error as it is, with its headers', () => {
    const error = new TypedError('QUEUE_FULL', {
      message: 'Later',
      details: { queueDepth: 3 },
      headers: { 'Retry-After': '5' },
    });
    expect(toPublicError(error, 'id')).toEqual({
      status: 429,
      headers: { 'Retry-After': '5' },
      body: {
        error: {
          type: 'QUEUE_FULL',
          message: 'Later',
          details: { queueDepth: 3 },
          retryable: true,
          retryAfterMs: 5_000,
          correlationId: 'id',
        },
      },
    });
  });

  it('leaves details out where there are none', () => {
    expect(toPublicError(invalidRequest('No'), 'id').body).toEqual({
      error: { type: 'INVALID_REQUEST', message: 'No', retryable: false, correlationId: 'id' },
    });
  });

  it('has the advice that an error was given', () => {
    const advice = { retryable: true, retryAfterMs: 250, requestId: 'req_1' };
    const error = new TypedError('SDK_FAILURE', {
      message: 'Busy',
      relayed: { status: 529, ...advice },
    });
    expect(toPublicError(error, 'id').body.error).toMatchObject(advice);
  });

  it.each([new Error('select * from secrets'), 'a text', undefined, { status: 404, message: 'x' }])(
    'masks %p, and names the line in the log',
    (thrown) => {
      const { status, body } = toPublicError(thrown, 'corr-1');
      expect([status, body.error.type]).toEqual([500, 'SDK_FAILURE']);
      expect(body.error.details).toEqual({ correlationId: 'corr-1' });
      expect(JSON.stringify(body)).not.toContain('secrets');
    },
  );
});

describe('formatFrame', () => {
  it('writes as escapes what ends a line for some clients, and says the same', () => {
    const said = { text: 'a\u2028b\u2029c\u0085d', '\u2028': 1 };
    const frame = formatFrame({ event: 'e', id: 't:1.1', data: JSON.stringify(said) });
    // The line ends of Python's `splitlines`.
    const ends = [
      '\r\n',
      '\n',
      '\r',
      '\v',
      '\f',
      '\x1c',
      '\x1d',
      '\x1e',
      '\u0085',
      '\u2028',
      '\u2029',
    ];
    const lines = ends.reduce((text, end) => text.replaceAll(end, '\n'), frame).split('\n');
    expect(lines.map((line) => line.split(':')[0])).toEqual(['event', 'id', 'data', '', '']);
    expect(JSON.parse(lines[2]?.slice('data: '.length) ?? '')).toEqual(said);
  });

  it('leaves the event name out where there is none', () => {
    expect(formatFrame({ id: 't:1.1', data: '{}' })).toBe('id: t:1.1\ndata: {}\n\n');
  });

  it.each([
    { id: 't:1.1\ndata: x', data: '{}' },
    { id: 't:1.1', event: 'a\rb', data: '{}' },
    { id: 't:1.1', event: 'a', data: '{}\n' },
  ])('refuses a line break in %j', (frame) => {
    expect(() => formatFrame(frame)).toThrow('line break');
  });
});
