import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { systemClock, type Clock } from '../../platform/clock.js';
import type { ModelCall, ModelEvent, ModelRequest } from '../model-types.js';
import type { ProviderConfig } from '../provider-config.js';
import { collectAndFinalize } from '../../../test/support/collect-garbage.js';
import { plainTracing } from '../../../test/support/tracing/plain-tracing.js';
import { AnthropicProvider } from './anthropic-provider.js';
import { type HttpServer, serveHttp } from '../../../test/support/serve-http.js';

const KEY = 'sk-ant-test-key-0001';
const request: ModelRequest = {
  model: 'claude-sonnet-5',
  system: '',
  messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
  tools: [],
  maxTokens: 100,
};
const reply = readFileSync(new URL('./fixtures/cited-text.txt', import.meta.url), 'utf8');
/** Up to and with the first delta, which is one batch of one event. */
const beginning = reply.slice(0, reply.indexOf('Grüße "}}') + 'Grüße "}}\n\n'.length);
const never = new AbortController().signal;

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Served {
  url: string;
  requests: IncomingMessage[];
  connections: () => number;
}

async function serve(listener: RequestListener): Promise<Served> {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const served = await serveHttp((incoming, response) => {
    requests.push(incoming);
    incoming.resume().once('end', () => listener(incoming, response));
  });
  served.server.on('connection', () => connections++);
  servers.push(served);
  return { url: served.url, requests, connections: () => connections };
}

function provider(
  baseUrl: string,
  changes: Partial<ProviderConfig> = {},
  clock: Clock = systemClock,
) {
  const config: ProviderConfig = {
    mode: 'anthropic',
    apiKey: KEY,
    baseUrl,
    egressAllow: [new URL(baseUrl).origin],
    // A test of a timeout has its own: a busy machine is slower than any short one.
    stallTimeoutMs: 300_000,
    requestTimeoutMs: 300_000,
    maxRetries: 0,
    ...changes,
  };
  return new AnthropicProvider(config, clock, plainTracing);
}

async function run(model: AnthropicProvider): Promise<{ events: ModelEvent[]; error: unknown }> {
  const events: ModelEvent[] = [];
  try {
    await model.stream(request, never).read((batch) => void events.push(...batch));
    return { events, error: undefined };
  } catch (error) {
    return { events, error };
  }
}

/** Reads a call, and says when its first events have come. */
function read(call: ModelCall): { reading: Promise<void>; hasBegun: Promise<void> } {
  let begin = (): void => undefined;
  const hasBegun = new Promise<void>((resolve) => (begin = resolve));
  return { reading: call.read(() => begin()), hasBegun };
}

function sse(response: ServerResponse, text: string): ServerResponse {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.write(text);
  return response;
}

function refuse(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  const error = { type: 'some_error', message: `refused ${KEY} ${encodeURIComponent(KEY)}` };
  response.end(JSON.stringify({ type: 'error', error }));
}

describe('AnthropicProvider.stream', () => {
  it('sends one request and yields the reply', async () => {
    const served = await serve((_request, response) => sse(response, reply).end());
    const { events, error } = await run(provider(served.url));
    expect(error).toBeUndefined();
    expect(events.map((event) => event.type)).toEqual([
      'started',
      'text.delta',
      'text.delta',
      'source.cited',
      'text.delta',
      'source.cited',
      'part.ended',
      'ended',
    ]);
    expect(served.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/messages',
    ]);
    expect(served.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'anthropic-version': '2026-10-21',
    });
  });

  it('keeps the path of a gateway and sends the version of its profile', async () => {
    const served = await serve((_request, response) => sse(response, reply).end());
    await run(
      provider(`${served.url}/claude/v1/messages/`, {
        egressAllow: [served.url],
        profile: 'compatible',
      }),
    );
    expect(served.requests[0]?.url).toBe('/claude/v1/messages');
    expect(served.requests[0]?.headers['anthropic-version']).toBe('2023-06-01');
  });

  it('takes nothing from the environment, and in rehearsal sends no real key', async () => {
    const variables = {
      ANTHROPIC_API_KEY: 'env-key',
      ANTHROPIC_AUTH_TOKEN: 'env-token',
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:1',
      ANTHROPIC_PROFILE: 'env-profile',
      ANTHROPIC_CUSTOM_HEADERS: 'authorization: Bearer env\nx-env: 1\nanthropic-version: env',
    };
    Object.assign(process.env, variables);
    try {
      const served = await serve((_request, response) => sse(response, reply).end());
      expect(
        (await run(provider(served.url, { mode: 'rehearsal', egressAllow: [] }))).error,
      ).toBeUndefined();
      expect(served.requests[0]?.headers).toMatchObject({
        authorization: 'Bearer rehearsal',
        'anthropic-version': '2026-10-21',
      });
      expect(JSON.stringify(served.requests[0]?.rawHeaders)).not.toMatch(/env|sk-ant/i);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
  });

  it('uses a connection again and leaves no listener, also when the last bytes come late', async () => {
    const served = await serve((_request, response) => {
      sse(response, reply);
      setImmediate(() => response.end());
    });
    const model = provider(served.url);
    await run(model);
    // The HTTP client takes the connection back one turn of the event loop after its last byte.
    await new Promise((resolve) => setImmediate(resolve));
    await run(model);
    expect(served.requests).toHaveLength(2);
    expect(served.connections()).toBe(1);
    expect(getEventListeners(never, 'abort')).toEqual([]);
  });

  it('ends with the message, not with the connection', async () => {
    let closed: Promise<unknown> | undefined;
    const served = await serve((_request, response) => {
      closed = once(sse(response, reply), 'close');
    });
    const { events, error } = await run(provider(served.url));
    expect([events.at(-1)?.type, error]).toEqual(['ended', undefined]);
    await closed;
  });

  it.each([429, 500, 529, 408])('tries again after %s, before the stream began', async (status) => {
    const served: Served = await serve((_request, response) =>
      served.requests.length < 3
        ? refuse(response, status, { 'retry-after-ms': '1' })
        : sse(response, reply).end(),
    );
    const { events, error } = await run(provider(served.url, { maxRetries: 2 }));
    expect([events.at(-1)?.type, error]).toEqual(['ended', undefined]);
    const tries = served.requests.map(({ headers }) => headers['x-stainless-retry-count']);
    expect(tries).toEqual(['0', '1', '2']);
    const reasons = { 429: 'rate-limited', 529: 'overloaded' };
    const reason = reasons[status as keyof typeof reasons] ?? 'unavailable';
    const retrying = { type: 'retrying', maxRetries: 2, afterMs: 1, reason };
    expect(events.slice(0, 2)).toEqual([
      { ...retrying, retry: 1 },
      { ...retrying, retry: 2 },
    ]);
  });

  it('does not wait for as long as the provider likes', async () => {
    const served = await serve((_request, response) =>
      refuse(response, 429, { 'retry-after': '3600' }),
    );
    const { error } = await run(provider(served.url, { maxRetries: 2 }));
    expect(error).toMatchObject({ status: 429, headers: { 'Retry-After': '3600' } });
    expect(served.requests).toHaveLength(1);
  });

  it.each([
    [
      'is closed in good order',
      (response: ServerResponse) => response.end(),
      /closed the stream before/,
    ],
    ['breaks', (response: ServerResponse) => response.destroy(), /connection broke/],
  ])('tries nothing again when the stream %s after its first event', async (_how, cut, message) => {
    const served = await serve((_request, response) => {
      sse(response, beginning);
      setImmediate(() => cut(response));
    });
    const { events, error } = await run(provider(served.url, { maxRetries: 2 }));
    expect(events.slice(1)).toEqual([{ type: 'text.delta', text: 'Grüße ' }]);
    expect(error).toMatchObject({
      type: 'SDK_FAILURE',
      status: 503,
      message: expect.stringMatching(message),
      details: { provider: 'anthropic', category: 'NETWORK_ERROR' },
    });
    expect(served.requests).toHaveLength(1);
  });

  it('ends a stream that stalls, with the time in the error', async () => {
    let now = 0;
    let fire = (): void => undefined;
    const clock: Clock = {
      now: () => now,
      after: (_delayMs, callback) => {
        fire = callback;
        return () => undefined;
      },
    };
    let closed: Promise<unknown> | undefined;
    const served = await serve((_request, response) => {
      closed = once(sse(response, beginning), 'close');
    });
    const { reading, hasBegun } = read(
      provider(served.url, { stallTimeoutMs: 60_000 }, clock).stream(request, never),
    );
    await hasBegun;
    now += 60_000;
    fire();
    await expect(reading).rejects.toMatchObject({
      type: 'SDK_FAILURE',
      status: 504,
      details: { provider: 'anthropic', category: 'REQUEST_TIMEOUT', stalledMs: 60_000 },
    });
    await closed;
  });

  it('gives up on a provider that does not answer', async () => {
    const served = await serve(() => undefined);
    const { error } = await run(provider(served.url, { requestTimeoutMs: 30 }));
    expect(error).toMatchObject({
      status: 504,
      details: { provider: 'anthropic', category: 'REQUEST_TIMEOUT' },
    });
  });

  it('keeps nothing of a request while its answer streams', async () => {
    const served = await serve((_request, response) => void sse(response, beginning));
    let sent: WeakRef<object> | undefined;
    const abort = new AbortController();
    const open = (): ModelCall => {
      const own = { ...request, messages: [...request.messages] };
      sent = new WeakRef(own);
      return provider(served.url).stream(own, abort.signal);
    };
    const { reading, hasBegun } = read(open());
    await hasBegun;
    await collectAndFinalize();
    expect(sent?.deref()).toBeUndefined();
    abort.abort();
    await expect(reading).rejects.toBe(abort.signal.reason);
  });

  it('closes the connection when the signal aborts in the middle', async () => {
    let closed: Promise<unknown> | undefined;
    const served = await serve((_request, response) => {
      closed = once(sse(response, beginning), 'close');
    });
    const abort = new AbortController();
    const { reading, hasBegun } = read(provider(served.url).stream(request, abort.signal));
    await hasBegun;
    // The SDK stops listening to the signal once the answer is garbage.
    await collectAndFinalize();
    const reason = new Error('interrupted by the user');
    abort.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await closed;
    expect(served.requests).toHaveLength(1);
  });

  it('closes the connection when its signal aborts while events are taken, and goes on with others', async () => {
    let closed: Promise<unknown> | undefined;
    const served: Served = await serve((_request, response) => {
      if (served.requests.length > 1) return void sse(response, reply).end();
      closed = once(sse(response, beginning), 'close');
    });
    const abort = new AbortController();
    const reason = new Error('the lease is lost');
    const model = provider(served.url);
    const reading = model.stream(request, abort.signal).read(() => abort.abort(reason));
    await expect(reading).rejects.toBe(reason);
    await closed;
    expect((await run(model)).events.at(-1)?.type).toBe('ended');
  });

  it('closes the connection, and throws what was thrown, when whoever takes the events fails', async () => {
    let closed: Promise<unknown> | undefined;
    const served = await serve((_request, response) => {
      closed = once(sse(response, beginning), 'close');
    });
    const fault = new Error('no');
    const reading = provider(served.url)
      .stream(request, never)
      .read(() => {
        throw fault;
      });
    await expect(reading).rejects.toBe(fault);
    await closed;
    expect(getEventListeners(never, 'abort')).toEqual([]);
  });

  it('throws the reason of a signal that aborts before the answer, or before the call', async () => {
    const abort = new AbortController();
    const reason = new Error('turn timed out');
    const served = await serve(() => abort.abort(reason));
    const model = provider(served.url, { maxRetries: 2 });
    await expect(read(model.stream(request, abort.signal)).reading).rejects.toBe(reason);
    await expect(read(model.stream(request, abort.signal)).reading).rejects.toBe(reason);
    expect(served.requests).toHaveLength(1);
  });

  it.each([
    [401, 'INVALID_API_KEY'],
    [403, 'INVALID_API_KEY'],
    [404, 'API_RESPONSE_ERROR'],
    [429, 'RATE_LIMITED'],
    [500, 'API_RESPONSE_ERROR'],
    [529, 'API_RESPONSE_ERROR'],
  ])('maps %s and never shows the key', async (status, category) => {
    const served = await serve((_request, response) => refuse(response, status));
    const { error } = await run(provider(served.url));
    expect(error).toMatchObject({
      type: 'SDK_FAILURE',
      status,
      message: expect.stringContaining('refused [REDACTED_API_KEY] [REDACTED_API_KEY]'),
      details: { provider: 'anthropic', category, upstreamType: 'some_error' },
    });
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain(
      KEY,
    );
  });

  it('maps an error event, after the events before it, and never shows the key', async () => {
    const error = { type: 'overloaded_error', message: `busy ${KEY}` };
    const text = `${beginning}event: error\ndata: ${JSON.stringify({ type: 'error', error })}\n\n`;
    const served = await serve((_request, response) => sse(response, text).end());
    const result = await run(provider(served.url));
    expect(result.events.map((event) => event.type)).toEqual(['started', 'text.delta']);
    expect(result.error).toMatchObject({
      status: 529,
      message: expect.stringContaining('busy [REDACTED_API_KEY]'),
      details: { category: 'API_RESPONSE_ERROR', upstreamType: 'overloaded_error' },
    });
  });

  it('refuses a redirect and does not follow it', async () => {
    const other = await serve((_request, response) => sse(response, reply).end());
    const served = await serve((_request, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    const { error } = await run(provider(served.url, { maxRetries: 2 }));
    expect(error).toMatchObject({
      status: 400,
      details: { category: 'NETWORK_POLICY_VIOLATION', policy: 'REQ-NET-001', upstreamStatus: 307 },
    });
    expect([served.requests.length, other.requests.length]).toEqual([1, 0]);
  });

  it('refuses an answer that is no event stream', async () => {
    const served = await serve((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    );
    expect((await run(provider(served.url))).error).toMatchObject({
      status: 502,
      message: expect.stringContaining('text/html'),
      details: { category: 'API_RESPONSE_ERROR' },
    });
  });

  it('says that nobody answered', async () => {
    const served = await serve(() => undefined);
    await servers.pop()?.close();
    expect((await run(provider(served.url))).error).toMatchObject({
      status: 503,
      details: { category: 'NETWORK_ERROR', cause: expect.stringContaining('ECONNREFUSED') },
    });
  });
});
