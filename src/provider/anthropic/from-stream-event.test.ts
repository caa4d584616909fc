import { describe, expect, it } from '@jest/globals';
import { malformedStream } from '../provider-errors.js';
import type { ModelEvent } from '../model-types.js';
import { noUsage } from '../../events/turn-event.js';
import { fromStreamEvent, newStreamState, mapUsage } from './from-stream-event.js';

const started = {
  type: 'message_start',
  message: { usage: { input_tokens: 1, output_tokens: 0 } },
};
const stopped = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: null };
const end = { type: 'message_stop' };
const block = (index: number, content_block: object): object => ({
  type: 'content_block_start',
  index,
  content_block,
});
const delta = (index: number, delta: object): object => ({
  type: 'content_block_delta',
  index,
  delta,
});
const stop = (index: number): object => ({ type: 'content_block_stop', index });
const tool = { type: 'tool_use', id: 't1', name: 'read', input: {} };
const text = { type: 'text', text: '' };

function fold(...raw: unknown[]): ModelEvent[] {
  const state = newStreamState();
  const out: ModelEvent[] = [];
  for (const event of raw) fromStreamEvent(state, event, out);
  // The event of `message_start` has a test of its own.
  return out.filter((event) => event.type !== 'started');
}

describe('fromStreamEvent', () => {
  it('begins with the usage before the reply', () => {
    const out: ModelEvent[] = [];
    fromStreamEvent(newStreamState(), started, out);
    const usage = { inputTokens: 1, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(out).toEqual([{ type: 'started', usage }]);
  });

  it.each<[string, unknown[], string]>([
    [
      'a delta before the message',
      [delta(3, { type: 'text_delta', text: 'x' })],
      'content_block_delta of block 3 came before the message started',
    ],
    [
      'a delta for no block',
      [started, delta(7, { type: 'text_delta', text: 'x' })],
      'a delta came for block 7 before its start',
    ],
    ['a stop for no block', [started, stop(2)], 'block 2 ended before its start'],
    [
      'a second start of a block',
      [started, block(1, text), block(1, text)],
      'block 1 started twice',
    ],
    [
      'a delta after the stop',
      [started, block(0, text), stop(0), delta(0, { type: 'text_delta', text: 'x' })],
      'a delta came for block 0 before its start',
    ],
    [
      'a block without an index',
      [started, { type: 'content_block_stop' }],
      'a content_block_stop has no index',
    ],
    [
      'a delta without a body',
      [started, block(0, text), { type: 'content_block_delta', index: 0 }],
      'a content_block_delta has no delta',
    ],
    ['a second message', [started, started], 'the message started twice'],
    ['an end before the start', [end], 'message_stop came before the message started'],
    [
      'an end with an open block',
      [started, block(4, text), stopped, end],
      'the message ended before block 4',
    ],
    [
      'an end with nothing before it',
      [started, end],
      'the message has neither content nor a stop reason',
    ],
    [
      'a block after the end',
      [started, stopped, end, block(0, text)],
      'content_block_start of block 0 came after the message ended',
    ],
    [
      'a delta on a block of another kind',
      [started, block(0, tool), delta(0, { type: 'text_delta', text: 'x' })],
      'a text_delta came for a block of type tool_use',
    ],
    [
      'a tool call without an id',
      [started, block(0, { ...tool, id: undefined })],
      'a tool call has no id or no name',
    ],
  ])('refuses %s', (_what, raw, message) => {
    expect(() => fold(...raw)).toThrow(malformedStream(message));
  });

  it.each([
    ['{"a": {"b": [1]}}', { a: { b: [1] } }],
    ['{"a": ', { __invalid_json: '{"a": ' }],
    ['[1]', { __invalid_json: '[1]' }],
    ['null', { __invalid_json: 'null' }],
  ])('takes the tool input %s as %j', (json, input) => {
    const pieces = Array.from(json).map((partial_json) =>
      delta(0, { type: 'input_json_delta', partial_json }),
    );
    expect(fold(started, block(0, tool), ...pieces, stop(0)).at(-1)).toEqual({
      type: 'part.ended',
      part: { type: 'tool_use', id: 't1', name: 'read', input },
    });
  });

  it('takes the content of a block’s start', () => {
    const citation = {
      type: 'char_location',
      document_title: 'a',
      start_char_index: 0,
      end_char_index: 1,
    };
    expect(
      fold(
        started,
        block(0, { type: 'text', text: 'Hello', citations: [citation] }),
        stop(0),
        block(1, { type: 'thinking', thinking: 'hm', signature: 's' }),
        stop(1),
        block(2, { ...tool, input: { a: 1 } }),
        stop(2),
      ),
    ).toEqual([
      { type: 'text.delta', text: 'Hello' },
      {
        type: 'source.cited',
        source: { type: 'document', title: 'a', location: { unit: 'char', start: 0, end: 1 } },
      },
      { type: 'part.ended', part: { type: 'text', text: 'Hello', citations: [citation] } },
      { type: 'thinking.delta', text: 'hm' },
      { type: 'part.ended', part: { type: 'thinking', thinking: 'hm', signature: 's' } },
      { type: 'tool.requested', callId: 't1', name: 'read' },
      { type: 'part.ended', part: { type: 'tool_use', id: 't1', name: 'read', input: { a: 1 } } },
    ]);
  });

  it('reads blocks that run beside each other', () => {
    const say = (index: number, text: string): object => delta(index, { type: 'text_delta', text });
    expect(
      fold(started, block(0, text), block(1, text), say(1, 'b'), say(0, 'a'), stop(1), stop(0)),
    ).toEqual([
      { type: 'text.delta', text: 'b' },
      { type: 'text.delta', text: 'a' },
      { type: 'part.ended', part: { type: 'text', text: 'b' } },
      { type: 'part.ended', part: { type: 'text', text: 'a' } },
    ]);
  });

  it('sends no half of a character, wherever a gateway cuts', () => {
    const cut = ['a \ud83d', '\ude00 b', '\ud83d', '\ude01', '\ud83dc \ud83d'];
    const say = (type: string, field: string): object[] =>
      cut.map((piece) => delta(0, { type, [field]: piece }));
    const whole = ['a ', '😀 b', '😁', '\ufffdc ', '\ufffd'];
    const sent = (block0: object, pieces: object[]): unknown[] =>
      fold(started, block(0, block0), ...pieces, stop(0)).flatMap((event) =>
        'text' in event ? [event.text] : 'json' in event ? [event.json] : [],
      );
    expect(sent(text, say('text_delta', 'text'))).toEqual(whole);
    const thought = { type: 'thinking', thinking: '' };
    expect(sent(thought, say('thinking_delta', 'thinking'))).toEqual(whole);
    const args = sent(tool, say('input_json_delta', 'partial_json'));
    expect(args.join('')).toBe(whole.slice(0, -1).join(''));
    const server = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
    expect(sent(server, say('input_json_delta', 'partial_json'))).toEqual(args);
    expect(sent({ ...text, text: 'x\ud83d' }, [])).toEqual(['x', '\ufffd']);
  });

  it('keeps the input of the start where deltas of the input are empty', () => {
    const server = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } };
    const nothing = { type: 'input_json_delta', partial_json: '' };
    const blocks = [block(0, tool), delta(0, nothing), stop(0)];
    const events = fold(started, ...blocks, block(1, server), delta(1, nothing), stop(1));
    expect(events.filter(({ type }) => type === 'part.ended')).toEqual([
      { type: 'part.ended', part: { type: 'tool_use', id: 't1', name: 'read', input: {} } },
      { type: 'part.ended', part: { type: 'opaque', block: server } },
    ]);
  });

  it('ignores an unknown delta on a known block, and unknown events anywhere', () => {
    expect(
      fold(
        { type: 'new_event' },
        started,
        block(0, text),
        delta(0, { type: 'new_delta', x: 1 }),
        stop(0),
      ),
    ).toEqual([{ type: 'part.ended', part: { type: 'text', text: '' } }]);
  });
});

describe('mapUsage', () => {
  const start = {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: 5,
  };
  const known = { inputTokens: 10, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 5 };

  it('takes nulls as 0 and counts cached input apart', () => {
    expect(mapUsage(noUsage, start)).toEqual(known);
  });

  it.each([
    [
      'a later report wins',
      { output_tokens: 9, cache_read_input_tokens: 3 },
      { ...known, outputTokens: 9, cacheReadTokens: 3 },
    ],
    ['also with a smaller number', { input_tokens: 4 }, { ...known, inputTokens: 4 }],
    [
      'null keeps what was known',
      { input_tokens: null, output_tokens: 2 },
      { ...known, outputTokens: 2 },
    ],
    [
      'cache writes are split by TTL, and thinking is apart',
      {
        cache_creation: { ephemeral_5m_input_tokens: 3, ephemeral_1h_input_tokens: 2 },
        output_tokens_details: { thinking_tokens: 1 },
      },
      { ...known, cacheWrite5mTokens: 3, cacheWrite1hTokens: 2, thinkingTokens: 1 },
    ],
    [
      'details that are null stay unsaid',
      { cache_creation: null, output_tokens_details: null },
      known,
    ],
    ['nonsense keeps what was known', { input_tokens: 'x', output_tokens: -1 }, known],
    [
      'searches are counted where there were any',
      { server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 } },
      { ...known, webSearches: 2 },
    ],
    ['and leave no trace where there were none', { server_tool_use: null }, known],
    ['no report keeps what was known', null, known],
  ])('%s', (_rule, report, usage) => {
    expect(mapUsage(known, report)).toEqual(usage);
  });

  it('keeps details that a later report leaves out', () => {
    const reported = mapUsage(known, { output_tokens_details: { thinking_tokens: 7 } });
    expect(mapUsage(reported, { output_tokens: 20 })).toMatchObject({ thinkingTokens: 7 });
  });
});

describe('the stop reason', () => {
  const endedWith = (...raw: unknown[]) => fold(started, ...raw, end).at(-1);
  const reply = [block(0, { type: 'text', text: 'Hi' }), stop(0)];
  const stopping = (stop_reason: unknown) => ({ type: 'message_delta', delta: { stop_reason } });

  it.each([
    ['end_turn', 'end_turn'],
    ['tool_use', 'tool_use'],
    ['max_tokens', 'max_tokens'],
    ['pause_turn', 'pause_turn'],
    ['refusal', 'refusal'],
    ['stop_sequence', 'stop_sequence'],
    ['model_context_window_exceeded', 'context_window'],
  ])('%s is %s', (wire, stopReason) => {
    const ended = endedWith(...reply, stopping(wire));
    expect(ended).toMatchObject({ type: 'ended', stopReason });
    expect(ended).not.toHaveProperty('unknownReason');
  });

  it.each([
    ['compaction', 'compaction'],
    ['toString', 'toString'],
    ['', '""'],
    [null, 'null'],
    [undefined, 'null'],
    [42, '42'],
    [{ type: 'budget' }, '{"type":"budget"}'],
    ['a\0\ud800b', 'a \ufffdb'],
    ['x'.repeat(1_000), `${'x'.repeat(99)}…`],
  ])('%j ends the message with what is told of it', (wire, unknownReason) => {
    expect(endedWith(...reply, stopping(wire))).toMatchObject({
      type: 'ended',
      stopReason: 'end_turn',
      unknownReason,
    });
  });

  it.each<[string, unknown[]]>([
    ['a last report without a delta', [{ type: 'message_delta', usage: { output_tokens: 7 } }]],
    ['no last report', []],
  ])('may be missing where content came: %s', (_what, raw) => {
    expect(endedWith(...reply, ...raw)).toMatchObject({ type: 'ended', unknownReason: 'null' });
  });

  it('may be unknown where no content came', () => {
    expect(endedWith(stopping('safety'))).toMatchObject({ unknownReason: 'safety' });
  });
});
