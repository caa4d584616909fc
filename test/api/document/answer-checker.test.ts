import { describe, expect, it } from '@jest/globals';
import { AnswerChecker, type SeenAnswer } from '../../support/document/answer-checker.js';
import { asDocument } from '../../support/document/api-document.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

describe('the check that every answer of the tests passes', () => {
  const server = useServer();
  const checker = useShared(
    async () => new AnswerChecker(asDocument((await server.client.get('/docs-json')).body)),
  );

  const answer = (body: object, more: Partial<SeenAnswer> = {}): SeenAnswer => ({
    method: 'GET',
    path: '/api/harness/sessions/sess_1/todos',
    status: 200,
    mediaType: 'application/json',
    body: JSON.stringify(body),
    ...more,
  });
  const todo = { id: 'a', content: 'Write', status: 'pending' };
  const correlationId = 'a-request';
  const message = 'There is none';
  const notFound = { type: 'SESSION_NOT_FOUND', message, retryable: false, correlationId };

  it.each([
    ['as described', answer({ todos: [todo] })],
    ['an error of the operation', answer({ error: notFound }, { status: 404 })],
    ['of a path without an operation', answer({}, { path: '/none' })],
  ])('passes an answer: %s', (_, seen) => {
    expect(checker.faultOf(seen)).toBeUndefined();
  });

  it.each([
    ['a field is missing', answer({ todos: [{ ...todo, status: undefined }] }), "'status'"],
    ['a field is not described', answer({ todos: [], more: 1 }), 'additional properties'],
    ['a value is of another type', answer({ todos: [{ ...todo, id: 1 }] }), 'must be string'],
    ['a status is not described', answer({}, { status: 410 }), 'not in the document'],
    ['a type is not described', answer({}, { mediaType: 'text/json' }), 'not in the document'],
    [
      'an error is none of the operation',
      answer({ error: { ...notFound, type: 'TURN_NOT_FOUND' } }, { status: 404 }),
      'allowed values',
    ],
  ])('reports where %s', (_, seen, fault) => {
    expect(checker.faultOf(seen)).toContain(fault);
  });
});
