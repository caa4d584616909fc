import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { systemClock, type Clock } from '../src/platform/clock.js';
import type { RehearsalRequest } from './request-types.js';
import { startRehearsal, type Rehearsal } from './start-rehearsal.js';
import type { WireEvent, WireMessage } from './reply/reply-plan.js';

/** The system's clock, with its pending timers, their delays, and promises of the first set and the first cancelled. */
function makeClock() {
  const pending = new Set<() => void>();
  const delays: number[] = [];
  let onSet = (): void => undefined;
  let onCancel = (): void => undefined;
  const set = new Promise<void>((resolve) => (onSet = resolve));
  const cancelled = new Promise<void>((resolve) => (onCancel = resolve));
  const after: Clock['after'] = (delayMs, callback) => {
    const cancel = systemClock.after(delayMs, () => {
      pending.delete(cancel);
      callback();
    });
    pending.add(cancel);
    delays.push(delayMs);
    onSet();
    return () => {
      cancel();
      pending.delete(cancel);
      onCancel();
    };
  };
  return { clock: { now: () => systemClock.now(), after }, pending, delays, set, cancelled };
}

const seen: RehearsalRequest[] = [];
let timers: ReturnType<typeof makeClock>;
let rehearsal: Rehearsal;

beforeEach(async () => {
  let made = 0;
  timers = makeClock();
  rehearsal = await startRehearsal({
    clock: timers.clock,
    newId: (prefix) => `${prefix}_${(made += 1)}`,
    onRequest: (request) => void seen.push(request),
  });
});
afterEach(() => rehearsal.close());

const ask = (text: string, more: object = {}) => ({
  model: 'claude-sonnet-5-5',
  max_tokens: 100_000,
  messages: [{ role: 'user', content: text }],
  ...more,
});

interface SentWith {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const apiHeaders = { 'x-api-key': 'k', 'anthropic-version': '2026-10-21' };

function post(body: unknown, init: SentWith = {}): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { ...apiHeaders, ...init.headers };
  return fetch(`${rehearsal.url}/v1/messages`, { method: 'POST', body: text, ...init, headers });
}

const stream = (text: string, init: SentWith = {}): Promise<Response> =>
  post(ask(text, { stream: true }), init);

async function* eventsOf(response: Response): AsyncGenerator<WireEvent> {
  if (!response.body) throw new Error('the response has no body');
  const messages = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const message of messages) {
    const event = JSON.parse(message.data) as WireEvent;
    expect(event.type).toBe(message.event);
    yield event;
  }
}

const textOf = (event: WireEvent): string =>
  event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '';

describe('POST /v1/messages', () => {
  it('streams a reply', async () => {
    const response = await stream('[[tokens=3]]');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('request-id')).toBe('req_1');
    const events: WireEvent[] = [];
    for await (const event of eventsOf(response)) events.push(event);
    expect(events.map((event) => event.type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events.map(textOf).join('')).toBe('word1 word2 word3');
  });

  it('streams a long reply in order and whole', async () => {
    let text = '';
    for await (const event of eventsOf(await stream('[[tokens=5000]]'))) text += textOf(event);
    expect(text).toBe(Array.from({ length: 5_000 }, (_, index) => `word${index + 1}`).join(' '));
  });

  it('answers with one message when not asked to stream', async () => {
    const response = await post(ask('[[tokens=2 first=1]]'));
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(await response.json()).toEqual({
      id: 'msg_2',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      container: null,
      diagnostics: null,
      content: [{ type: 'text', text: 'word1 word2', citations: null }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: expect.any(Number),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 2,
        output_tokens_details: null,
        server_tool_use: null,
        inference_geo: null,
        service_tier: 'standard',
        speed: null,
      },
    });
  });

  it('shows an observer what the model was sent', async () => {
    await post(ask('hello', { service_tier: 'auto' }), { headers: { 'x-test': 'yes' } });
    const last = seen.at(-1);
    expect(last?.body).toEqual(ask('hello', { service_tier: 'auto' }));
    expect(last?.headers['x-test']).toBe('yes');
  });

  it('reports an error in the stream, then closes', async () => {
    const events: WireEvent[] = [];
    for await (const event of eventsOf(await stream('[[tokens=50]][[fail=529 after=10]]'))) {
      events.push(event);
    }
    expect(events.filter((event) => textOf(event) !== '')).toHaveLength(10);
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Rehearsed failure 529.' },
      request_id: 'req_1',
    });
  });

  it('drops the connection, after all it had sent has left', async () => {
    const texts: string[] = [];
    const response = await stream('[[tokens=50]][[drop after=5]]');
    const read = async (): Promise<void> => {
      for await (const event of eventsOf(response)) texts.push(textOf(event));
    };
    await expect(read()).rejects.toThrow('terminated');
    expect(texts.join('')).toBe('word1 word2 word3 word4 word5');
  });

  it.each(['[[drop]]', '[[drop after=2]]'])('drops a plain reply too: %s', async (text) => {
    await expect(post(ask(text))).rejects.toThrow('fetch failed');
  });

  it('fails a plain reply where the stream would', async () => {
    expect((await post(ask('[[fail=529 after=1]]'))).status).toBe(529);
  });

  it('is silent for the time of the directive, then goes on', async () => {
    const startedAt = performance.now();
    const texts: string[] = [];
    for await (const event of eventsOf(await stream('[[tokens=2]][[stall=80]]'))) {
      if (textOf(event) !== '') texts.push(textOf(event));
    }
    expect(texts).toHaveLength(2);
    expect(timers.delays).toHaveLength(1);
    expect(timers.delays[0]).toBeGreaterThan(60);
    expect(performance.now() - startedAt).toBeGreaterThan(60);
  });

  it('stops its work when the client leaves', async () => {
    const leave = new AbortController();
    const response = await stream('[[tokens=2]][[stall=600000]]', { signal: leave.signal });
    await timers.set;
    expect(timers.pending.size).toBe(1);
    leave.abort();
    await expect(response.text()).rejects.toThrow('aborted');
    await timers.cancelled;
    expect(timers.pending.size).toBe(0);
  });

  it('ends open streams when it closes', async () => {
    const response = await stream('[[tokens=2]][[stall=600000]]');
    await rehearsal.close();
    await expect(response.text()).rejects.toThrow('terminated');
    await timers.cancelled;
    expect(timers.pending.size).toBe(0);
  });
});

describe('the headers of a failure', () => {
  it('say when to come back, or at once', async () => {
    expect((await post(ask('[[fail=429 retry=30]]'))).headers.get('retry-after')).toBe('30');
    expect((await post(ask('[[fail=529]]'))).headers.get('retry-after-ms')).toBe('1');
  });

  it('go with a code that clients branch on', async () => {
    const response = await post(ask('[[fail=enforced_spend_limit]]'));
    expect(await response.json()).toMatchObject({
      error: { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } },
    });
  });
});

describe('the prompt cache', () => {
  const cached = { cache_control: { type: 'ephemeral' }, system: 'Be brief. '.repeat(500) };
  const usageOf = async (more: object) => {
    const message = (await (
      await post(ask('hello', { ...cached, ...more }))
    ).json()) as WireMessage;
    return message.usage;
  };

  it('is written by a request and read by the next', async () => {
    const first = await usageOf({});
    expect(first.cache_creation_input_tokens).toBeGreaterThan(1_000);
    expect(first.cache_creation?.ephemeral_5m_input_tokens).toBe(first.cache_creation_input_tokens);
    const second = await usageOf({});
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    expect(second.cache_creation_input_tokens).toBe(0);
  });
});

describe('errors', () => {
  it.each<[string, unknown, number, { type: string; message: string }]>([
    ['not JSON', '{"model":', 400, { type: 'invalid_request_error', message: 'not valid JSON' }],
    [
      'a bad request',
      { model: 'claude-sonnet-5-5' },
      400,
      { type: 'invalid_request_error', message: 'max_tokens' },
    ],
    ['no such model', ask('a', { model: 'gpt' }), 404, { type: 'not_found_error', message: 'gpt' }],
    ['a bad order', ask('[[dance]]'), 400, { type: 'invalid_request_error', message: '[[dance]]' }],
    ['a failure', ask('[[fail=418]]'), 418, { type: 'invalid_request_error', message: '418' }],
    ['over 32 MB', 'x'.repeat(33 << 20), 413, { type: 'request_too_large', message: '32 MB' }],
  ])('%s', async (_name, body, status, error) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type: error.type, message: expect.stringContaining(error.message) },
      request_id: 'req_1',
    });
  });
});

describe('other routes', () => {
  it.each([
    ['/health', 200, { status: 'ok' }],
    ['/v1/models/rehearsal', 200, { type: 'model', id: 'claude-sonnet-5-5' }],
    ['/v1/models/claude-haiku-4-5?beta=true', 200, { id: 'claude-haiku-4-5-20251001' }],
    ['/v1/models/claude-sonnet-4-20250514', 200, { lifecycle: 'retired' }],
    ['/v1/models?limit=2', 200, { data: [{ type: 'model' }, {}], has_more: true }],
    ['/v1/models?limit=0', 400, { error: { type: 'invalid_request_error' } }],
    ['/v1/models/gpt', 404, { type: 'error', error: { type: 'not_found_error' } }],
    ['/v1/messages', 404, { type: 'error', error: { type: 'not_found_error' } }],
    ['//', 404, { type: 'error', error: { type: 'not_found_error' } }],
  ])('GET %s is %i', async (path, status, body) => {
    const response = await fetch(rehearsal.url + path, { headers: apiHeaders });
    expect(response.status).toBe(status);
    expect(response.headers.get('request-id')).toBe('req_1');
    expect(await response.json()).toMatchObject(body);
  });

  it('refuses to start on a port that is taken', async () => {
    const port = Number(new URL(rehearsal.url).port);
    await expect(startRehearsal({ port })).rejects.toThrow('EADDRINUSE');
  });
});
