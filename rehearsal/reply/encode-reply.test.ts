import { describe, expect, it } from '@jest/globals';
import { encodeMessage, encodeReply, type Move } from './encode-reply.js';
import { frameEvent } from '../start-rehearsal.js';
import type { ReplyPlan } from './reply-plan.js';

const frame = {
  messageId: 'msg_1',
  model: 'claude-sonnet-5-5',
  prompt: { input: 12, cacheRead: 30, write5m: 8, write1h: 0 },
  transformations: undefined,
};

function planned(more: Partial<ReplyPlan> = {}): ReplyPlan {
  return {
    blocks: [{ type: 'text', deltas: ['one', ' two', ' three'] }],
    stop: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
    firstMs: 0,
    gapMs: 0,
    stallMs: 0,
    ...more,
  };
}

const rich = planned({
  blocks: [
    { type: 'thinking', deltas: ['thought1', ' thought2'], isShown: true, signature: 'signed' },
    {
      type: 'text',
      deltas: ['As cited.'],
      citation: {
        type: 'char_location',
        cited_text: 'First',
        document_index: 0,
        document_title: 'Plan',
        file_id: null,
        start_char_index: 0,
        end_char_index: 5,
      },
    },
    { type: 'tool_use', id: 'toolu_1', name: 'read', input: { a: 1 }, deltas: ['{"a"', ':1}'] },
  ],
  stop: { stop_reason: 'tool_use', stop_sequence: null, stop_details: null },
});

const golden = `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-5-5","container":null,"content":[],"diagnostics":null,"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":12,"cache_creation_input_tokens":8,"cache_read_input_tokens":30,"output_tokens":1,"output_tokens_details":null,"server_tool_use":null,"cache_creation":{"ephemeral_5m_input_tokens":8,"ephemeral_1h_input_tokens":0},"inference_geo":null,"service_tier":"standard","speed":null}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"thought1"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" thought2"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"signed"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":"","citations":[]}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"As cited."}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"First","document_index":0,"document_title":"Plan","file_id":null,"start_char_index":0,"end_char_index":5}}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"read","input":{},"caller":{"type":"direct"}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\\"a\\""}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":":1}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"container":null,"stop_reason":"tool_use","stop_sequence":null,"stop_details":null},"usage":{"input_tokens":12,"cache_creation_input_tokens":8,"cache_read_input_tokens":30,"output_tokens":5,"output_tokens_details":{"thinking_tokens":2},"server_tool_use":null}}

event: message_stop
data: {"type":"message_stop"}

`;

/** Text deltas as `t`, pauses as their length, a break as its kind, all else left out. */
function rhythm(plan: ReplyPlan): string {
  const shown = [...encodeReply(plan, frame)].map((move: Move) => {
    if (move.type === 'pause') return String(move.ms);
    if (move.type === 'break') return move.breakOff.how;
    if (move.event.type === 'message_stop') return 'end';
    const isText =
      move.event.type === 'content_block_delta' && move.event.delta.type === 'text_delta';
    return isText ? 't' : '';
  });
  return shown.filter((item) => item !== '').join(' ');
}

describe('encodeReply', () => {
  it('writes a whole stream as the API does', () => {
    const sent = [...encodeReply(rich, frame)].map((move) =>
      move.type === 'send' ? frameEvent(move.event) : `(${move.type})`,
    );
    expect(sent.join('')).toBe(golden);
  });

  const broken = (how: 'error' | 'drop', after: number): Partial<ReplyPlan> => ({
    breakOff: how === 'error' ? { how, failure: { status: 529 }, after } : { how, after },
  });
  const noText: Partial<ReplyPlan> = {
    blocks: [{ type: 'thinking', deltas: ['hm'], isShown: true, signature: 'signed' }],
  };

  it.each<[string, Partial<ReplyPlan>, string]>([
    ['no pauses', {}, 't t t end'],
    ['a wait for the first and gaps', { firstMs: 50, gapMs: 5 }, '50 t 5 t 5 t end'],
    ['silence after the first', { stallMs: 70, gapMs: 5 }, 't 75 t 5 t end'],
    ['silence where there is no second', { ...noText, stallMs: 70 }, '70 end'],
    ['an error before any text', broken('error', 0), 'error'],
    ['an error after two', broken('error', 2), 't t error'],
    ['an error after more than there is', broken('error', 9), 't t t error'],
    ['an error in a reply without text', { ...noText, ...broken('error', 3) }, 'error'],
    ['a dropped connection', broken('drop', 1), 't drop'],
  ])('keeps time: %s', (_name, more, expected) => {
    expect(rhythm(planned(more))).toBe(expected);
  });
});

describe('thinking that is not shown', () => {
  it('sends its signature only, and counts all of it', () => {
    const hidden = planned({
      blocks: [
        { type: 'thinking', deltas: ['a', 'b', 'c'], isShown: false, signature: 'signed' },
        { type: 'redacted_thinking', deltas: ['hidden'], data: 'sealed' },
        { type: 'text', deltas: ['hi'] },
      ],
    });
    const events = [...encodeReply(hidden, frame)].flatMap((move) =>
      move.type === 'send' ? [move.event] : [],
    );
    expect(events.filter(({ type }) => type === 'content_block_delta')).toEqual([
      expect.objectContaining({ delta: { type: 'signature_delta', signature: 'signed' } }),
      expect.objectContaining({ delta: { type: 'text_delta', text: 'hi' } }),
    ]);
    expect(encodeMessage(hidden, frame)).toMatchObject({
      content: [
        { type: 'thinking', thinking: '', signature: 'signed' },
        { type: 'redacted_thinking', data: 'sealed' },
        { type: 'text', text: 'hi', citations: null },
      ],
      usage: { output_tokens: 5, output_tokens_details: { thinking_tokens: 4 } },
    });
  });
});

describe('encodeMessage', () => {
  it('has what the stream adds up to', () => {
    expect(encodeMessage(rich, frame)).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      container: null,
      diagnostics: null,
      content: [
        {
          type: 'thinking',
          thinking: 'thought1 thought2',
          signature: 'signed',
        },
        {
          type: 'text',
          text: 'As cited.',
          citations: [expect.objectContaining({ type: 'char_location', document_title: 'Plan' })],
        },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'read',
          input: { a: 1 },
          caller: { type: 'direct' },
        },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 12,
        cache_creation_input_tokens: 8,
        cache_read_input_tokens: 30,
        cache_creation: { ephemeral_5m_input_tokens: 8, ephemeral_1h_input_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { thinking_tokens: 2 },
        server_tool_use: null,
        inference_geo: null,
        service_tier: 'standard',
        speed: null,
      },
    });
  });
});
