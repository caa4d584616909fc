import { describe, expect, it } from '@jest/globals';
import { TypedError } from '../../errors/typed-error.js';
import { streamClosedEarly } from '../provider-errors.js';
import { mapCallError } from './map-call-error.js';

const place = {
  maker: 'openai',
  keyVariable: 'OPENAI_API_KEY',
  redact: (text: string) => text.replace('sk-secret', '[KEY]'),
};

/** An error as a package's own copy of the classes makes it. */
function callError(statusCode: number | undefined, more: object = {}): Error {
  return Object.assign(new Error('The call failed: sk-secret'), {
    [Symbol.for('vercel.ai.error.AI_APICallError')]: true,
    statusCode,
    requestBodyValues: { prompt: 'what nobody may log' },
    ...more,
  });
}

describe('an error of a package', () => {
  it.each<[number, object, object]>([
    [401, {}, { category: 'INVALID_API_KEY' }],
    [429, {}, { category: 'RATE_LIMITED' }],
    [429, { error: { message: 'insufficient_quota: no credit' } }, { reason: 'SPEND_LIMIT' }],
    [404, {}, { reason: 'MODEL_NOT_FOUND' }],
    [400, { error: { message: 'exceeds the context window' } }, { reason: 'PROMPT_TOO_LONG' }],
    ...[
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
      'Prompt contains 50000 tokens, 0 draft tokens, too large for model with 32768 maximum context length',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
    ].map((message): [number, object, object] => [
      400,
      { error: { message } },
      { reason: 'PROMPT_TOO_LONG' },
    ]),
    [400, { error: { message: 'thought_signature is missing' } }, { reason: 'THINKING_REFUSED' }],
    [400, { message: 'odd field' }, { reason: 'INVALID_REQUEST' }],
    [503, {}, { category: 'API_RESPONSE_ERROR' }],
  ])('of status %i with %j is %j', (status, data, details) => {
    const mapped = mapCallError(callError(status, { data }), place);
    expect(mapped).toMatchObject({ status, details: { provider: 'openai', ...details } });
    expect(JSON.stringify([mapped.message, mapped.details])).not.toMatch(/sk-secret|nobody/);
  });

  it('says how long to wait, and which key to check', () => {
    const headers = { responseHeaders: { 'retry-after': '7' } };
    expect(mapCallError(callError(429, headers), place)).toMatchObject({ retryAfterMs: 7_000 });
    expect(mapCallError(callError(401), place).message).toContain('Check OPENAI_API_KEY');
  });

  it('is of the network where there was no answer, and our own where it is one', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const failed = callError(undefined, { cause: refused });
    const mapped = mapCallError(failed, place);
    expect(mapped.details).toMatchObject({ category: 'NETWORK_ERROR', provider: 'openai' });
    expect(mapped.message).toMatch(/correct TURNPIKE_MAKERS\. /);
    const own = streamClosedEarly();
    expect(mapCallError(callError(undefined, { cause: own }), place)).toBe(own);
  });

  it('is of the answer where the package cannot read it, without what it was', () => {
    const mark = { [Symbol.for('vercel.ai.error.AI_TypeValidationError')]: true };
    const mapped = mapCallError(Object.assign(new Error('what nobody may log'), mark), place);
    expect(mapped).toMatchObject({ status: 502, details: { category: 'API_RESPONSE_ERROR' } });
    expect(mapped.message).not.toContain('nobody');
  });

  it('in a stream is what its maker says, in each of its forms', () => {
    const mapped = mapCallError({ error: { message: 'overloaded: sk-secret' } }, place);
    expect(mapped).toBeInstanceOf(TypedError);
    expect(mapped.message).toBe('openai ended its stream with an error: overloaded: [KEY].');
    expect(mapCallError('too many tokens', place).details).toMatchObject({
      reason: 'PROMPT_TOO_LONG',
    });
  });
});
