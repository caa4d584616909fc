import { describe, expect, it } from '@jest/globals';
import { json } from 'node:stream/consumers';
import { systemClock } from '../../platform/clock.js';
import type { ModelRequest } from '../model-types.js';
import { plainTracing } from '../../../test/support/tracing/plain-tracing.js';
import { AnthropicProvider } from './anthropic-provider.js';
import type { ProfileName } from './request-profile.js';
import { toRequest } from './to-request.js';
import { serveHttp } from '../../../test/support/serve-http.js';
import { useShared } from '../../../test/support/suite.js';

const request: ModelRequest = {
  model: 'm',
  system: 'Be brief.',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object' } }],
  maxTokens: 100,
};

describe('countTokens', () => {
  let answer: { status: number; body: unknown } | 'never';
  let asked: { url: string | undefined; body: Record<string, unknown> }[];
  const server = useShared(() =>
    serveHttp(async (call, response) => {
      asked.push({ url: call.url, body: (await json(call)) as Record<string, unknown> });
      if (answer === 'never') return;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    }),
  );

  const open = (profile?: ProfileName) =>
    new AnthropicProvider(
      {
        mode: profile === undefined ? 'rehearsal' : 'anthropic',
        ...(profile && { profile }),
        apiKey: undefined,
        baseUrl: server.url,
        egressAllow: [],
        stallTimeoutMs: 60_000,
        requestTimeoutMs: 60_000,
        maxRetries: 2,
      },
      systemClock,
      plainTracing,
    );

  const count = (signal = new AbortController().signal, given = request) => {
    asked = [];
    return open().countTokens(given, signal);
  };

  it('sends the request without the fields of the reply', async () => {
    answer = { status: 200, body: { input_tokens: 42 } };
    expect(await count()).toBe(42);
    const { max_tokens: _tokens, stream: _stream, ...rest } = toRequest(request);
    expect(asked).toEqual([
      { url: expect.stringContaining('/v1/messages/count_tokens'), body: rest },
    ]);
  });

  it('asks once, whatever the answer', async () => {
    answer = { status: 529, body: { type: 'error', error: { type: 'overloaded_error' } } };
    await expect(count()).rejects.toMatchObject({ status: expect.any(Number) });
    expect(asked).toHaveLength(1);
  });

  it('takes nothing for a count that is none', async () => {
    answer = { status: 200, body: { tokens: 'many' } };
    await expect(count()).rejects.toMatchObject({
      status: 502,
      details: { category: 'API_RESPONSE_ERROR' },
    });
  });

  it('is asked of a server without that route once', async () => {
    answer = { status: 404, body: { error: { message: 'no route' } } };
    asked = [];
    const provider = open('ollama');
    const { signal } = new AbortController();
    for (let calls = 0; calls < 2; calls += 1) {
      await expect(provider.countTokens(request, signal)).rejects.toMatchObject({
        details: { category: 'API_RESPONSE_ERROR' },
      });
    }
    expect(asked).toHaveLength(1);
  });

  it('is asked again where the model was missing', async () => {
    const error = { type: 'not_found_error', message: 'model: m' };
    answer = { status: 404, body: { type: 'error', error } };
    asked = [];
    const provider = open('llama.cpp');
    const { signal } = new AbortController();
    await expect(provider.countTokens(request, signal)).rejects.toThrow();
    await expect(provider.countTokens(request, signal)).rejects.toThrow();
    expect(asked).toHaveLength(2);
  });

  it('waits no longer than its caller', async () => {
    answer = 'never';
    const late = new Error('late');
    const caller = new AbortController();
    const counted = count(caller.signal);
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    caller.abort(late);
    await expect(counted).rejects.toBe(late);
  });
});

describe('a request whose tools may not be called', () => {
  it('lists them all, and says so', () => {
    const { tools, tool_choice } = toRequest({ ...request, toolChoice: 'none' });
    expect([tools, tool_choice]).toEqual([toRequest(request).tools, { type: 'none' }]);
    expect(toRequest(request)).not.toHaveProperty('tool_choice');
  });

  it('does not say it where there are none', () => {
    const without = toRequest({ ...request, tools: [], toolChoice: 'none' });
    expect(without).not.toHaveProperty('tool_choice');
  });
});
