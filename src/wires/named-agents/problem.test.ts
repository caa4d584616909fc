import { describe, expect, it } from '@jest/globals';
import { TypedError, type TypedErrorInit } from '../../errors/typed-error.js';
import { toPublicError } from '../../http/public-error.js';
import { agentsErrors, toProblemAnswer } from './problem.js';

const problemOf = (type: string, init: TypedErrorInit, path = '/') =>
  toProblemAnswer(toPublicError(new TypedError(type, init), 'none'), path);

describe('toProblemAnswer', () => {
  it('has the code as the last part of its type', () => {
    const error = {
      status: 404,
      message: 'There is none',
      details: { secret: 'of the server' },
    };
    expect(problemOf('PERSONA_NOT_FOUND', error, '/agent/x/chat')).toEqual({
      status: 404,
      headers: { 'Content-Type': 'application/problem+json' },
      body: {
        type: 'https://turnpike.dev/docs/errors/persona-not-found',
        title: 'Unknown agent',
        status: 404,
        detail: 'There is none',
        retryable: false,
        instance: '/agent/x/chat',
      },
    });
  });

  it('has a title for a code that nobody gave one, and none of an object’s own names', () => {
    const titleOf = (code: string) => problemOf(code, { status: 500, message: '' }).body.title;
    expect(titleOf('OUT_OF_PAPER')).toBe('Out of paper');
    expect(titleOf('constructor')).toBe('Constructor');
  });

  it.each([
    [429, {}, '5'],
    [503, {}, '5'],
    [503, { 'Retry-After': '60' }, '60'],
    [409, {}, undefined],
  ])('says of %d when to come back: headers %j', (status, headers, expected) => {
    const answer = problemOf('QUEUE_FULL', { status, message: '', headers });
    expect(answer.headers['Retry-After']).toBe(expected);
  });
});

describe('the advice of a problem', () => {
  it('is the error’s, in members of its own', () => {
    const advice = { retryable: true, retryAfterMs: 1_500, requestId: 'req_1' };
    const { body } = problemOf('SDK_FAILURE', { status: 529, message: '', ...advice });
    expect(body).toMatchObject(advice);
  });

  it('is to stay away where a limit of the provider does not pass', () => {
    const { headers, body } = problemOf('SDK_FAILURE', { status: 429, message: '' });
    expect(headers['Retry-After']).toBeUndefined();
    expect(body.retryable).toBe(false);
  });
});

describe('agentsErrors', () => {
  it.each([
    ['/agent', true],
    ['/agent/x/chat', true],
    ['/Agents', true],
    ['/sessions/', true],
    ['/agent/x/ag-ui', true],
    ['/awp', true],
    ['/agentsx', false],
    ['/api/harness/sessions/x', false],
    ['/health/agent', false],
  ])('has %s: %s', (path, expected) => {
    expect(agentsErrors.paths.test(path)).toBe(expected);
  });
});
