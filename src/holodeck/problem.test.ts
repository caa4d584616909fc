import { describe, expect, it } from '@jest/globals';
import { TypedError } from '../platform/typed-error.js';
import { toProblemAnswer } from './problem.js';

describe('toProblemAnswer', () => {
  it('has the code as the last part of its type', () => {
    const error = new TypedError('PERSONA_NOT_FOUND', {
      status: 404,
      message: 'There is none',
      details: { secret: 'of the server' },
    });
    expect(toProblemAnswer(error, '/agent/x/chat')).toEqual({
      status: 404,
      headers: { 'Content-Type': 'application/problem+json' },
      body: {
        type: 'https://turnpike.dev/docs/errors/persona-not-found',
        title: 'Unknown agent',
        status: 404,
        detail: 'There is none',
        instance: '/agent/x/chat',
      },
    });
  });

  it('has a title for a code that nobody gave one, and none of an object’s own names', () => {
    const titleOf = (code: string) =>
      toProblemAnswer(new TypedError(code, { status: 500, message: '' }), '/').body.title;
    expect(titleOf('OUT_OF_PAPER')).toBe('Out of paper');
    expect(titleOf('constructor')).toBe('Constructor');
  });

  it.each([
    [429, {}, '5'],
    [503, {}, '5'],
    [503, { 'Retry-After': '60' }, '60'],
    [409, {}, undefined],
  ])('says of %d when to come back: headers %j', (status, headers, expected) => {
    const error = new TypedError('QUEUE_FULL', { status, message: '', headers });
    expect(toProblemAnswer(error, '/').headers['Retry-After']).toBe(expected);
  });
});
