import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ModelEvent } from '../model-types.js';
import type { Clock } from '../../platform/clock.js';
import { StreamErrorEvent } from './map-error.js';
import { createStreamParser, StallTimer } from './read-stream.js';

const FIXTURES = ['cited-text', 'thinking-and-tools', 'server-tool', 'refusal', 'overloaded'];

function fixture(name: string): Buffer {
  return readFileSync(new URL(`./fixtures/${name}.txt`, import.meta.url));
}

function readAll(
  pieces: Uint8Array[],
  mayOmitStart = false,
): { events: ModelEvent[]; ended: boolean; error: unknown } {
  const read = createStreamParser(undefined, mayOmitStart);
  const events: ModelEvent[] = [];
  for (const piece of pieces) {
    const batch = read(piece);
    events.push(...batch.events.filter((event) => event.type !== 'started'));
    if (batch.ended || batch.error !== undefined)
      return { ended: batch.ended, events, error: batch.error };
  }
  return { events, ended: false, error: undefined };
}

function chop(bytes: Buffer, cuts: number[]): Uint8Array[] {
  const at = [...new Set([0, ...cuts.map((cut) => cut % bytes.length), bytes.length])].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end));
}

describe('a stream of a server that is not Anthropic', () => {
  const reply = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
  const bytes = Buffer.from(
    reply.map((one) => `event: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join(''),
  );

  it('may begin without message_start, where its profile says so', () => {
    expect(readAll([bytes], true)).toMatchObject({ ended: true, error: undefined });
    const { error } = readAll([bytes]);
    expect(String(error)).toContain('before the message started');
  });

  it.each([
    ['{"type":"error","error":{"type":"api_error","message":"m"}}', { type: 'api_error' }],
    ['{"code":400,"message":"too long","type":"exceed_context_size_error"}', { code: 400 }],
    ['{"error":{"message":"broken"}}', { message: 'broken' }],
    ['out of memory', { message: 'out of memory' }],
  ])('ends with the error that its event has by name: %s', (data, error) => {
    const failed = readAll([Buffer.from(`event: error\ndata: ${data}\n\n`)]);
    expect(failed.error).toBeInstanceOf(StreamErrorEvent);
    expect((failed.error as StreamErrorEvent).body['error']).toMatchObject(error);
  });
});

describe('createStreamReader', () => {
  it('reads text with citations', () => {
    const { events, ended } = readAll([fixture('cited-text')]);
    const page = {
      type: 'page_location',
      cited_text: 'The sky is blue.',
      document_index: 0,
      document_title: 'sky.pdf',
      start_page_number: 1,
      end_page_number: 2,
      file_id: null,
    };
    const web = {
      type: 'web_search_result_location',
      cited_text: 'Blue.',
      title: 'Sky',
      url: 'https://sky.example/',
      encrypted_index: 'Eo8B',
    };
    expect(ended).toBe(true);
    expect(events).toEqual([
      { type: 'text.delta', text: 'Grüße ' },
      { type: 'text.delta', text: '👋🏽 — the sky' },
      {
        type: 'source.cited',
        source: {
          type: 'document',
          title: 'sky.pdf',
          citedText: 'The sky is blue.',
          location: { unit: 'page', start: 1, end: 2 },
        },
      },
      { type: 'text.delta', text: ' is blue.' },
      {
        type: 'source.cited',
        source: { type: 'web', title: 'Sky', url: 'https://sky.example/', citedText: 'Blue.' },
      },
      {
        type: 'part.ended',
        part: { type: 'text', text: 'Grüße 👋🏽 — the sky is blue.', citations: [page, web] },
      },
      {
        type: 'ended',
        stopReason: 'end_turn',
        usage: { inputTokens: 25, outputTokens: 12, cacheReadTokens: 0, cacheWriteTokens: 0 },
      },
    ]);
  });

  it('reads thinking and tool calls', () => {
    expect(readAll([fixture('thinking-and-tools')]).events).toEqual([
      { type: 'thinking.delta', text: 'I need ' },
      { type: 'thinking.delta', text: 'both.' },
      {
        type: 'part.ended',
        part: { type: 'thinking', thinking: 'I need both.', signature: 'EqQB' },
      },
      { type: 'part.ended', part: { type: 'redacted_thinking', data: 'EmwK' } },
      { type: 'text.delta', text: 'Looking.' },
      { type: 'part.ended', part: { type: 'text', text: 'Looking.' } },
      { type: 'tool.requested', callId: 'toolu_1', name: 'read_file' },
      { type: 'tool.args.delta', callId: 'toolu_1', json: '{"path": "a/' },
      { type: 'tool.args.delta', callId: 'toolu_1', json: 'ü.txt"}' },
      {
        type: 'part.ended',
        part: { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'a/ü.txt' } },
      },
      { type: 'tool.requested', callId: 'toolu_2', name: 'list_todos' },
      {
        type: 'part.ended',
        part: { type: 'tool_use', id: 'toolu_2', name: 'list_todos', input: {} },
      },
      {
        type: 'ended',
        stopReason: 'tool_use',
        usage: { inputTokens: 41, outputTokens: 80, cacheReadTokens: 905, cacheWriteTokens: 7 },
      },
    ]);
  });

  it('keeps blocks it does not know as opaque parts, deltas merged, and ignores events', () => {
    const { events } = readAll([fixture('server-tool')]);
    const parts = events.flatMap((event) => (event.type === 'part.ended' ? [event.part] : []));
    expect(parts).toEqual([
      {
        type: 'opaque',
        block: {
          type: 'server_tool_use',
          id: 'srvtoolu_1',
          name: 'web_search',
          input: { query: 'sky' },
          caller: { type: 'direct' },
        },
      },
      {
        type: 'opaque',
        block: {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [
            {
              type: 'web_search_result',
              title: 'Sky',
              url: 'https://sky.example/',
              encrypted_content: 'EqgB',
              page_age: null,
            },
          ],
        },
      },
      {
        type: 'opaque',
        block: {
          type: 'future_block',
          text: 'so far',
          items: [1, 2],
          level: 3,
          citations: [{ type: 'x' }],
        },
      },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'ended', stopReason: 'pause_turn' });
  });

  it('reports server tools as any other, marked as run by the provider', () => {
    const { events } = readAll([fixture('server-tool')]);
    const about = { callId: 'srvtoolu_1', name: 'web_search' };
    expect(events.filter(({ type }) => /tool/.test(type))).toEqual([
      { type: 'tool.requested', ...about, by: 'provider' },
      { type: 'tool.args.delta', callId: 'srvtoolu_1', json: '{"query":' },
      { type: 'tool.args.delta', callId: 'srvtoolu_1', json: '"sky"}' },
      { type: 'server-tool.started', call: { ...about, input: { query: 'sky' } } },
      {
        type: 'server-tool.ended',
        result: { ...about, status: 'success', output: 'Sky – https://sky.example/' },
      },
    ]);
  });

  it('gives the word of the provider on a refusal', () => {
    expect(readAll([fixture('refusal')]).events.at(-1)).toMatchObject({
      type: 'ended',
      stopReason: 'refusal',
      details: 'This may help an attack.',
    });
  });

  it('has the events before an error event, then the error', () => {
    const { events, ended, error } = readAll([fixture('overloaded')]);
    expect(events).toEqual([
      { type: 'text.delta', text: 'Half a ' },
      { type: 'text.delta', text: 'sentence' },
    ]);
    expect(ended).toBe(false);
    expect(error).toBeInstanceOf(StreamErrorEvent);
  });

  it.each(FIXTURES)('gives the same events of %s however the network cuts it', (name) => {
    const bytes = fixture(name);
    const whole = readAll([bytes]);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (cuts) => {
        expect(readAll(chop(bytes, cuts))).toEqual(whole);
      }),
      { numRuns: 100 },
    );
    expect(readAll(chop(bytes, [...bytes.keys()]))).toEqual(whole);
  });

  it('reads CRLF as well as LF', () => {
    const crlf = Buffer.from(fixture('refusal').toString().replaceAll('\n', '\r\n'));
    expect(readAll([crlf])).toEqual(readAll([fixture('refusal')]));
  });

  it.each([
    ['no JSON', 'data: {"type":\n\n', 'an event is not JSON'],
    ['JSON without a bottom', `data: ${'['.repeat(9_000)}\n\n`, 'an event is nested too deeply'],
    ['no object', 'data: [1]\n\n', 'an event is not an object'],
    [
      'an endless event',
      `data: ${'x'.repeat(16 * 1024 * 1024)}`,
      'longer than 16777216 characters',
    ],
  ])('refuses %s', (_what, text, message) => {
    expect(readAll([Buffer.from(text)]).error).toMatchObject({
      status: 502,
      message: expect.stringContaining(message),
    });
  });
});

/** Time moves only by `pass`; counts the timers ever made and those that wait. */
function manualClock() {
  let now = 1_000;
  let made = 0;
  const timers = new Map<number, { at: number; callback: () => void }>();
  const clock: Clock = {
    now: () => now,
    after: (delayMs, callback) => {
      const id = ++made;
      timers.set(id, { at: now + delayMs, callback });
      return () => timers.delete(id);
    },
  };
  const pass = (ms: number): void => {
    now += ms;
    for (const [id, timer] of timers) {
      if (timer.at > now || !timers.delete(id)) continue;
      timer.callback();
    }
  };
  return { clock, pass, made: () => made, pending: () => timers.size };
}

function watched(limitMs: number) {
  const time = manualClock();
  const stalls: number[] = [];
  const watch = new StallTimer(time.clock, limitMs, (stalledMs) => stalls.push(stalledMs));
  return { ...time, watch, stalls };
}

describe('StallTimer', () => {
  it('reports a silence that took the limit, once', () => {
    const { pass, stalls, pending } = watched(100);
    pass(99);
    expect(stalls).toEqual([]);
    pass(1);
    pass(500);
    expect(stalls).toEqual([100]);
    expect(pending()).toBe(0);
  });

  it('counts each silence from its own beginning, with one timer', () => {
    const { watch, pass, stalls, made } = watched(100);
    for (let piece = 0; piece < 50; piece++) {
      pass(10);
      watch.hasInput();
    }
    expect(stalls).toEqual([]);
    expect(made()).toBeLessThanOrEqual(6);
    pass(99);
    expect(stalls).toEqual([]);
    pass(1);
    expect(stalls).toEqual([100]);
  });

  it('leaves no timer behind', () => {
    const { watch, pass, stalls, pending } = watched(100);
    pass(60);
    watch.hasInput();
    pass(60);
    watch.stop();
    expect(pending()).toBe(0);
    pass(1_000);
    expect(stalls).toEqual([]);
  });
});
