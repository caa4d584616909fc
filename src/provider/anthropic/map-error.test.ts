import { describe, expect, it } from '@jest/globals';
import { APIConnectionError, APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';
import { streamStalled } from '../provider-errors.js';
import { secretRedactor } from '../../platform/text/redact.js';
import { StreamErrorEvent, mapError, mapRefusal } from './map-error.js';

const KEY = 'sk-ant-secret-1';
const redact = secretRedactor([KEY]);

function answered(status: number, type?: string, message = `no ${KEY}`, headers = {}): APIError {
  const body = type === undefined ? undefined : { type: 'error', error: { type, message } };
  return APIError.generate(
    status,
    body,
    message,
    new Headers({ 'request-id': 'req_1', ...headers }),
  );
}

function event(type: string | undefined, message = `no ${KEY}`): StreamErrorEvent {
  return new StreamErrorEvent({ type: 'error', error: { type, message }, request_id: 'req_2' });
}

function withCode(code: string): Error {
  return new TypeError('terminated', { cause: Object.assign(new Error('gone'), { code }) });
}

describe('mapError', () => {
  const expectMapped = (error: unknown, status: number, details: object): void => {
    const mapped = mapError(error, redact);
    expect({ type: mapped.type, status: mapped.status, details: mapped.details }).toEqual({
      type: 'SDK_FAILURE',
      status,
      details: { provider: 'anthropic', ...details },
    });
    expect(mapped.message + mapped.stack).not.toContain(KEY);
    expect(mapped.cause).toBeUndefined();
  };

  it.each<[number, string, object]>([
    [401, 'authentication_error', { category: 'INVALID_API_KEY' }],
    [403, 'permission_error', { category: 'INVALID_API_KEY' }],
    [429, 'rate_limit_error', { category: 'RATE_LIMITED' }],
    [400, 'invalid_request_error', { category: 'API_RESPONSE_ERROR', reason: 'INVALID_REQUEST' }],
    [404, 'not_found_error', { category: 'API_RESPONSE_ERROR', reason: 'MODEL_NOT_FOUND' }],
    [529, 'overloaded_error', { category: 'API_RESPONSE_ERROR', reason: 'OVERLOADED' }],
  ])('an answer of %s', (status, type, details) => {
    const told = { upstreamType: type, requestId: 'req_1', ...details };
    expectMapped(answered(status, type), status, told);
  });

  it.each<[string, number, object]>([
    ['overloaded_error', 529, { reason: 'OVERLOADED' }],
    ['new_error', 502, {}],
    // Named like a method.
    ['toString', 502, {}],
  ])('an event of the type %s', (type, status, details) => {
    const told = { upstreamType: type, requestId: 'req_2', inStream: true, ...details };
    expectMapped(event(type), status, { category: 'API_RESPONSE_ERROR', ...told });
  });

  it.each<[string, unknown, number, object]>([
    [
      '500 without a body',
      answered(500),
      500,
      { category: 'API_RESPONSE_ERROR', requestId: 'req_1' },
    ],
    [
      'a redirect',
      answered(302),
      400,
      { category: 'NETWORK_POLICY_VIOLATION', policy: 'REQ-NET-001', upstreamStatus: 302 },
    ],
    [
      'an event without a type',
      new StreamErrorEvent({}),
      502,
      { category: 'API_RESPONSE_ERROR', inStream: true },
    ],
    ['a timeout of the SDK', new APIConnectionTimeoutError(), 504, { category: 'REQUEST_TIMEOUT' }],
    [
      'a timeout of the HTTP client',
      withCode('UND_ERR_BODY_TIMEOUT'),
      504,
      { category: 'REQUEST_TIMEOUT' },
    ],
    [
      'a timeout under an SDK error',
      new APIConnectionError({ cause: withCode('UND_ERR_CONNECT_TIMEOUT') }),
      504,
      { category: 'REQUEST_TIMEOUT' },
    ],
    [
      'no connection',
      new APIConnectionError({
        cause: new Error('fetch failed', { cause: new Error(`connect ${KEY}`) }),
      }),
      503,
      {
        category: 'NETWORK_ERROR',
        cause: 'Connection error.: fetch failed: connect [REDACTED_API_KEY]',
      },
    ],
    [
      'a broken connection',
      withCode('UND_ERR_SOCKET'),
      503,
      { category: 'NETWORK_ERROR', cause: 'terminated: gone' },
    ],
    [
      'something thrown that is no error',
      `odd ${KEY}`,
      503,
      { category: 'NETWORK_ERROR', cause: 'odd [REDACTED_API_KEY]' },
    ],
  ])('%s', (_what, error, status, details) => expectMapped(error, status, details));

  it.each([
    ['ENOTFOUND', false, 'TURNPIKE_PROVIDER_BASE_URL'],
    ['SELF_SIGNED_CERT_IN_CHAIN', false, 'NODE_EXTRA_CA_CERTS'],
    ['EAI_AGAIN', true, 'Send the turn again.'],
    ['ECONNREFUSED', true, 'Send the turn again.'],
  ])('the network’s %s advises a repeat: %s', (code, retryable, advice) => {
    const mapped = mapError(new APIConnectionError({ cause: withCode(code) }), redact);
    expect([mapped.retryable, mapped.message]).toEqual([
      retryable,
      expect.stringContaining(advice),
    ]);
  });

  it('has the provider’s text, and what to do', () => {
    expect(mapError(answered(401, 'authentication_error'), redact).message).toBe(
      'The provider answered 401: no [REDACTED_API_KEY]. Check ANTHROPIC_API_KEY, then restart.',
    );
  });

  it('cuts an error page short', () => {
    expect(
      mapError(answered(502, undefined, 'x'.repeat(10_000)), redact).message.length,
    ).toBeLessThan(600);
  });

  it.each([
    ['7', { 'Retry-After': '7' }],
    ['soon', {}],
    ['99999999', {}],
  ])('hands a Retry-After of %s on', (after, headers) => {
    const error = answered(429, 'rate_limit_error', 'slow down', { 'retry-after': after });
    expect(mapError(error, redact).headers).toEqual(headers);
  });

  it.each<[string, unknown, boolean, string | undefined]>([
    ['401', answered(401, 'authentication_error'), false, 'req_1'],
    ['400', answered(400, 'invalid_request_error'), false, 'req_1'],
    ['402', answered(402, 'billing_error'), false, 'req_1'],
    ['429', answered(429, 'rate_limit_error'), true, 'req_1'],
    ['500', answered(500, 'api_error'), true, 'req_1'],
    ['an event', event('overloaded_error'), true, 'req_2'],
    ['an event that refuses', event('invalid_request_error'), false, 'req_2'],
    ['a timeout', new APIConnectionTimeoutError(), true, undefined],
    ['a broken connection', withCode('UND_ERR_SOCKET'), true, undefined],
    ['a redirect', answered(302), false, undefined],
  ])('says of %s whether to send it again', (_what, error, retryable, requestId) => {
    expect(mapError(error, redact)).toMatchObject({ retryable, requestId });
  });

  it('gives the pause that a provider asks for in its own header', () => {
    const mapped = mapError(
      answered(429, 'rate_limit_error', 'slow down', { 'retry-after-ms': '1500' }),
      redact,
    );
    expect(mapped.retryAfterMs).toBe(1500);
    expect(mapped.headers).toEqual({ 'Retry-After': '2' });
  });

  it('advises no pause where waiting does not help', () => {
    const body = {
      type: 'error',
      error: {
        type: 'rate_limit_error',
        message: 'over the tier',
        details: { error_code: 'enforced_spend_limit_reached' },
      },
    };
    const headers = new Headers({ 'retry-after': '60' });
    const mapped = mapError(APIError.generate(429, body, undefined, headers), redact);
    expect(mapped).toMatchObject({
      status: 429,
      retryable: false,
      retryAfterMs: undefined,
      headers: {},
      details: {
        category: 'RATE_LIMITED',
        reason: 'SPEND_LIMIT',
        upstreamCode: 'enforced_spend_limit_reached',
      },
    });
    expect(mapped.message).toContain('Waiting does not help');
  });

  it('leaves our own errors alone, also under an SDK error', () => {
    const own = streamStalled(5);
    expect(mapError(own, redact)).toBe(own);
    expect(mapError(new APIConnectionError({ cause: own }), redact)).toBe(own);
  });

  it('survives a ring of causes', () => {
    const ring = new Error('a');
    ring.cause = ring;
    expect(mapError(ring, redact).details).toMatchObject({ cause: 'a' });
  });
});

describe('mapRefusal', () => {
  it.each([
    [404, 'API_RESPONSE_ERROR'],
    [401, 'INVALID_API_KEY'],
    [429, 'RATE_LIMITED'],
    [500, 'API_RESPONSE_ERROR'],
  ])('is 500 for %s', (upstreamStatus, category) => {
    expect(mapRefusal(answered(upstreamStatus, 'some_error'), 'm-1', redact)).toMatchObject({
      type: 'SDK_FAILURE',
      status: 500,
      details: { provider: 'anthropic', category, upstreamStatus },
    });
  });

  it('names the model that is not known', () => {
    expect(mapRefusal(answered(404, 'not_found_error'), 'm-1', redact).message).toContain('"m-1"');
  });

  it('maps other failures as mapError does', () => {
    expect(mapRefusal(new APIConnectionTimeoutError(), 'm-1', redact).status).toBe(504);
  });
});
