import { describe, expect, it } from '@jest/globals';
import { APIError } from '@anthropic-ai/sdk';
import { TypedError } from '../errors/typed-error.js';
import { mapError } from './anthropic/map-error.js';
import { streamClosedEarly, refusalKind } from './provider-errors.js';

function refused(status: number, type: string, message: string): TypedError {
  const error = APIError.generate(status, { error: { type, message } }, undefined, new Headers());
  return mapError(error, (text) => text);
}

describe('refusalKind', () => {
  it.each([
    [400, 'prompt is too long: 200001 tokens > 200000 maximum', 'prompt-too-long'],
    [400, 'a thinking block is bound to a different conversation', 'thinking-bound'],
    [400, 'messages: text content blocks must contain non-whitespace text', 'invalid'],
    [413, 'Request exceeds the maximum size', 'invalid'],
  ])('of %s %s is %s', (status, text, kind) => {
    expect(refusalKind(refused(status, 'invalid_request_error', text))).toBe(kind);
  });

  it.each<[string, unknown]>([
    [
      'a spend limit',
      refused(400, 'invalid_request_error', 'You have reached your specified limit'),
    ],
    ['a model that is gone', refused(404, 'not_found_error', 'model: claude-1')],
    ['an overload', refused(529, 'overloaded_error', 'Overloaded')],
    ['the network', streamClosedEarly()],
    [
      'an error of another part',
      new TypedError('INVALID_REQUEST', { message: 'x', details: { reason: 'INVALID_REQUEST' } }),
    ],
    ['a fault', new Error('prompt is too long')],
  ])('has nothing to say of %s', (_what, thrown) => {
    expect(refusalKind(thrown)).toBeUndefined();
  });
});
