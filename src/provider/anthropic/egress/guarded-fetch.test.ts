import { describe, expect, it } from '@jest/globals';
import type { LookupFunction } from 'node:net';
import { inspect } from 'node:util';
import Anthropic from '@anthropic-ai/sdk';
import { dispatchFetch } from '../../../platform/net/dispatch-fetch.js';
import { publicDispatcher } from '../../../platform/net/public-fetch.js';
import { API_VERSION } from './create-client.js';
import { asksForLongPause, guardedFetch, passHeaders } from './guarded-fetch.js';
import { mapError } from '../errors/map-error.js';

describe('guardedFetch', () => {
  it.each([
    'https://example.com/v1/messages',
    'http://api.anthropic.com',
    'https://api.anthropic.com:8443',
  ])('refuses %s before anything is sent', async (url) => {
    const fetch = guardedFetch({
      origin: 'https://api.anthropic.com',
      headers: {},
      maxRetryAfterMs: 0,
      fetch: dispatchFetch(publicDispatcher()),
    });
    await expect(fetch(url)).rejects.toMatchObject({
      type: 'SDK_FAILURE',
      status: 400,
      details: {
        category: 'NETWORK_POLICY_VIOLATION',
        policy: 'REQ-NET-001',
        host: new URL(url).hostname,
      },
    });
  });
});

describe('guardedFetch, of a host that moved inside', () => {
  const origin = 'https://gateway.example';
  const lookup: LookupFunction = (_host, _options, callback) =>
    callback(null, [{ address: '10.0.0.7', family: 4 }]);
  const fetch = guardedFetch({
    origin,
    headers: {},
    maxRetryAfterMs: 0,
    fetch: dispatchFetch(publicDispatcher({ lookup })),
  });
  const refusal = {
    type: 'SDK_FAILURE',
    status: 400,
    details: {
      provider: 'anthropic',
      category: 'NETWORK_POLICY_VIOLATION',
      policy: 'REQ-NET-001',
      host: 'gateway.example',
    },
  };

  it('refuses it when it connects, and leaves its address out', async () => {
    const answer: unknown = await fetch(`${origin}/v1/messages`).catch((error: unknown) => error);
    expect(answer).toMatchObject(refusal);
    expect(inspect(answer)).not.toContain('10.0.0.7');
  });

  it('is the same failure after the SDK', async () => {
    const client = new Anthropic({ apiKey: 'key', baseURL: origin, fetch, maxRetries: 0 });
    const failed: unknown = await client.models.list().catch((error: unknown) => error);
    expect(mapError(failed, (text) => text)).toMatchObject(refusal);
  });
});

describe('passHeaders', () => {
  it('keeps the headers that the API needs, sets the given ones, drops the rest', () => {
    const from = new Headers({
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'User-Agent': 'Anthropic/JS',
      'X-Stainless-Lang': 'js',
      Authorization: 'Bearer other',
      'X-Api-Key': 'other',
      'Anthropic-Beta': 'something',
    });
    expect([...passHeaders(from, { authorization: 'Bearer key' })]).toEqual([
      ['accept', 'application/json'],
      ['authorization', 'Bearer key'],
      ['content-type', 'application/json'],
      ['user-agent', 'Anthropic/JS'],
      ['x-stainless-lang', 'js'],
    ]);
  });
});

describe('asksForLongPause', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ 'retry-after': '30' }, false],
    [{ 'retry-after': '31' }, true],
    [{ 'retry-after': 'soon' }, false],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:20 GMT' }, false],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:10:00 GMT' }, true],
    [{ 'retry-after-ms': '30001' }, true],
    [{ 'retry-after-ms': '5', 'retry-after': '3600' }, false],
  ])('%j: %s', (headers, long) => {
    expect(asksForLongPause(new Headers(headers), 30_000, now)).toBe(long);
  });
});

describe('API_VERSION', () => {
  it('is the one the installed SDK speaks', async () => {
    let sent: Headers | undefined;
    const sdk = new Anthropic({
      apiKey: 'a-key',
      fetch: async (_url, init) => {
        sent = new Headers(init?.headers);
        return Response.json({ id: 'm', type: 'model' });
      },
    });
    await sdk.models.retrieve('m');
    expect(sent?.get('anthropic-version')).toBe(API_VERSION);
    expect(sent?.get('authorization')).toBe('Bearer a-key');
  });
});
