import { describe, expect, it } from '@jest/globals';
import { TypedError } from '../../errors/typed-error.js';
import { toPublicError } from '../../http/errors/error-shape.js';
import { problemShape } from './named-agents-errors.js';

const problemOf = (error: TypedError, path = '/') =>
  problemShape.write(toPublicError(error, 'none'), path);

describe('problemShape', () => {
  it('has the code as the last part of its type', () => {
    const error = new TypedError('PERSONA_NOT_FOUND', {
      message: 'There is none',
      details: { secret: 'of the server' },
    });
    expect(problemOf(error, '/agent/x/chat')).toEqual({
      status: 404,
      headers: { 'Content-Type': 'application/problem+json' },
      body: {
        type: 'https://turnpike.dev/docs/errors/persona-not-found',
        title: 'Unknown agent',
        status: 404,
        detail: 'There is none',
        retryable: false,
        instance: '/agent/x/chat',
        correlationId: 'none',
      },
    });
  });

  it.each([
    ['QUEUE_FULL', 429, {}, '5'],
    ['SHUTTING_DOWN', 503, {}, '5'],
    ['STORAGE_UNAVAILABLE', 503, { 'Retry-After': '60' }, '60'],
    ['TURN_IN_PROGRESS', 409, {}, '2'],
    ['TURN_NOT_FOUND', 404, {}, undefined],
  ] as const)(
    'says of %s (%d) when to come back: headers %j',
    (code, status, headers, expected) => {
      const answer = problemOf(new TypedError(code, { message: '', headers }));
      expect(answer.status).toBe(status);
      expect(answer.headers['Retry-After']).toBe(expected);
    },
  );
});

describe('the advice of a problem', () => {
  it('is the error’s, in members of its own', () => {
    const advice = { retryable: true, retryAfterMs: 1_500, requestId: 'req_1' };
    const { body } = problemOf(
      new TypedError('SDK_FAILURE', { message: '', relayed: { status: 529, ...advice } }),
    );
    expect(body).toMatchObject(advice);
  });

  it('is to stay away where a limit of the provider does not pass', () => {
    const { headers, body } = problemOf(
      new TypedError('SDK_FAILURE', { message: '', relayed: { status: 429, retryable: false } }),
    );
    expect(headers['Retry-After']).toBeUndefined();
    expect(body).toMatchObject({ retryable: false });
  });
});
