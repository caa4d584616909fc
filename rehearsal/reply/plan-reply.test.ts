import { describe, expect, it } from '@jest/globals';
import { splitInput } from './plan-calls.js';
import { planReply, type Plan } from './plan-reply.js';
import type { ReplyPlan } from './reply-plan.js';
import { findProfile } from '../models/models.js';
import type { MessagesRequest, RequestBlock, RequestMessage } from '../request-types.js';

const user = (content: string | RequestBlock[]): RequestMessage => ({ role: 'user', content });
const assistant = (content: string | RequestBlock[]): RequestMessage => ({
  role: 'assistant',
  content,
});
const call = (id: string, name = 'read'): RequestBlock => ({
  type: 'tool_use',
  id,
  name,
  input: {},
});
const result = (id: string, content = 'ok'): RequestBlock => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const round = (id: string): RequestMessage[] => [assistant([call(id)]), user([result(id)])];

function plan(
  messages: RequestMessage[],
  more: Partial<MessagesRequest> = {},
  retryCount = 0,
): Plan {
  let made = 0;
  const newId = (prefix: string): string => `${prefix}_${(made += 1)}`;
  const body = { model: 'rehearsal', max_tokens: 1000, messages, ...more };
  const profile = findProfile(body.model);
  const accepted = { body, sent: body, profile, dropped: [] };
  return planReply(accepted, { retryCount, newId, headroom: profile.window });
}

function reply(messages: RequestMessage[], more: Partial<MessagesRequest> = {}): ReplyPlan {
  const planned = plan(messages, more);
  if (planned.kind !== 'reply') throw new Error(`expected a reply, not ${planned.failure.status}`);
  return planned.reply;
}

/** `text:3 tool_use:1 > tool_use`: each block with its number of deltas, then the stop reason. */
function outline({ blocks, stop }: ReplyPlan): string {
  const shown = blocks.map((block) => `${block.type}:${block.deltas.length}`);
  return `${shown.join(' ')} > ${stop.stop_reason}`;
}

const textOf = ({ blocks }: ReplyPlan): string =>
  blocks.flatMap((block) => (block.type === 'text' ? block.deltas : [])).join('');

describe('planReply', () => {
  it.each<[string, RequestMessage[], string]>([
    ['no directive', [user('hello')], 'text:7 > end_turn'],
    ['tokens', [user('[[tokens=9]]')], 'text:9 > end_turn'],
    ['thinking', [user('[[think=2]] hm')], 'thinking:2 text:7 > end_turn'],
    ['a citation', [user('[[cite]]')], 'text:2 text:7 > end_turn'],
    ['two tools', [user('[[tool=a]][[tool=b]]')], 'tool_use:1 tool_use:1 > tool_use'],
    [
      'everything at once',
      [user('[[tokens=4]] [[tool=a]] [[cite]] [[think=3]]')],
      'thinking:3 text:2 text:4 tool_use:1 > tool_use',
    ],
    ['a tool that has answered', [user('[[tool=a]]'), ...round('1')], 'text:2 > end_turn'],
    ['tokens after a tool', [user('[[tool=a]][[tokens=3]]'), ...round('1')], 'text:3 > end_turn'],
    ['a loop, first step', [user('[[loop=2 tool=a]]')], 'tool_use:1 > tool_use'],
    ['a loop, last step', [user('[[loop=2 tool=a]]'), ...round('1')], 'tool_use:1 > tool_use'],
    [
      'a loop that is over',
      [user('[[loop=2 tool=a]]'), ...round('1'), ...round('2')],
      'text:3 > end_turn',
    ],
    [
      'a new turn after a loop',
      [user('[[loop=1 tool=a]]'), ...round('1'), assistant('done'), user('thanks')],
      'text:7 > end_turn',
    ],
    [
      'a notice beside the results of a loop',
      [
        user('[[loop=2 tool=a]]'),
        assistant([call('1')]),
        user([result('1'), { type: 'text', text: 'hurry' }]),
      ],
      'tool_use:1 > tool_use',
    ],
    [
      'new orders beside the results of a loop',
      [
        user('[[loop=2 tool=a]]'),
        assistant([call('1')]),
        user([result('1'), { type: 'text', text: '[[tokens=5]]' }]),
      ],
      'text:5 > end_turn',
    ],
    [
      'a system message that looks like an order',
      [user('[[tokens=5]]'), { role: 'system', content: '[[tokens=1]]' }],
      'text:5 > end_turn',
    ],
    [
      'a tool result that looks like an order',
      [user('[[tool=a]]'), assistant([call('1')]), user([result('1', '[[tokens=9]]')])],
      'text:2 > end_turn',
    ],
    ['a pause', [user('[[stop=pause_turn]]')], 'text:7 server_tool_use:2 > pause_turn'],
    [
      'a pause that goes on',
      [user('[[stop=pause_turn]]'), assistant('This is')],
      'text:2 > end_turn',
    ],
    ['a refused call', [user('[[tool=a]][[stop=refusal]]')], 'tool_use:1 > refusal'],
    [
      'a stop in another step',
      [user('[[tool=a]][[stop=refusal step=2]]')],
      'tool_use:1 > tool_use',
    ],
    [
      'a stop in this step',
      [user('[[tool=a]][[stop=refusal step=2]]'), ...round('1')],
      'text:2 > refusal',
    ],
  ])('%s', (_name, messages, expected) => {
    expect(outline(reply(messages))).toBe(expected);
  });

  it.each([
    'end_turn',
    'max_tokens',
    'stop_sequence',
    'tool_use',
    'refusal',
    'model_context_window_exceeded',
  ])('stops for %s', (reason) => {
    const { stop } = reply([user(`[[stop=${reason}]]`)], { stop_sequences: ['END'] });
    expect(stop).toEqual({
      stop_reason: reason,
      stop_sequence: reason === 'stop_sequence' ? 'END' : null,
      stop_details:
        reason === 'refusal'
          ? { type: 'refusal', category: 'general_harms', explanation: 'A rehearsed refusal.' }
          : null,
    });
  });

  it('describes the request', () => {
    const png = { type: 'base64', media_type: 'image/png', data: 'aGk=' };
    const opener: RequestBlock[] = [
      { type: 'image', source: png },
      { type: 'document', source: { type: 'text', data: 'x' } },
      { type: 'text', text: `Hello\nthere ${'o'.repeat(80)}` },
    ];
    const messages = [user('before'), assistant('yes'), user(opener)];
    const tools = [{ name: 'read' }, { name: 'write' }];
    expect(textOf(reply(messages, { tools, system: 'Be brief.' }))).toBe(
      'This is the rehearsal model. ' +
        `You wrote: "Hello there ${'o'.repeat(48)}…". Attachments: 2 (image, document). ` +
        'Tools offered: read, write. System prompt: 9 characters. Earlier messages: 2. Step 1.',
    );
  });

  it('names each tool and the first line of its result', () => {
    const messages = [
      user('[[tool=read]][[tool=list]]'),
      assistant([call('1', 'read'), call('2', 'list'), call('3', 'shot')]),
      user([
        result('1', 'line one\nline two'),
        {
          type: 'tool_result',
          tool_use_id: '2',
          is_error: true,
          content: [{ type: 'text', text: 'No.' }],
        },
        { type: 'tool_result', tool_use_id: '3' },
      ]),
    ];
    expect(textOf(reply(messages))).toBe(
      'The tools answered:\n- read: line one\n- list (error): No.\n- shot: (empty)',
    );
  });

  it("fills a loop's step into every string of its input", () => {
    const order = user('[[loop=3 tool=a {"p":"page $i of $i","q":{"r":["$i",1,null,true]}}]]');
    expect(reply([order, ...round('1')]).blocks).toEqual([
      expect.objectContaining({ input: { p: 'page 2 of 2', q: { r: ['2', 1, null, true] } } }),
    ]);
  });

  it.each<[string, RequestBlock[], object]>([
    [
      'a text',
      [
        {
          type: 'document',
          title: 'Plan',
          source: { type: 'text', data: 'First this, then that.' },
        },
      ],
      {
        type: 'char_location',
        cited_text: 'First this, then that.',
        document_index: 0,
        document_title: 'Plan',
        file_id: null,
        start_char_index: 0,
        end_char_index: 22,
      },
    ],
    [
      'the last of two',
      [
        { type: 'document', source: { type: 'text', data: 'one' } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
        },
      ],
      {
        type: 'page_location',
        cited_text: 'page 1',
        document_index: 1,
        document_title: null,
        file_id: null,
        start_page_number: 1,
        end_page_number: 2,
      },
    ],
    ['nothing', [], expect.objectContaining({ document_title: 'Rehearsal notes' })],
  ])('cites %s', (_name, documents, citation) => {
    const { blocks } = reply([user([...documents, { type: 'text', text: '[[cite]]' }])]);
    expect(blocks[0]).toEqual(expect.objectContaining({ type: 'text', citation }));
  });

  it.each<[string, number, Plan | object]>([
    ['[[fail=529]]', 0, { kind: 'failure', failure: { status: 529 } }],
    ['[[fail=529]]', 5, { kind: 'failure', failure: { status: 529 } }],
    ['[[fail=500 times=2]]', 1, { kind: 'failure', failure: { status: 500 } }],
    ['[[fail=500 times=2]]', 2, { kind: 'reply' }],
    ['[[fail=500 step=2]]', 0, { kind: 'reply' }],
    [
      '[[fail=529 after=10]]',
      0,
      { kind: 'reply', reply: { breakOff: { how: 'error', failure: { status: 529 }, after: 10 } } },
    ],
    ['[[drop after=5]]', 0, { kind: 'reply', reply: { breakOff: { how: 'drop', after: 5 } } }],
    ['[[stall=70]]', 0, { kind: 'reply', reply: { stallMs: 70, gapMs: 0, firstMs: 0 } }],
    ['[[tokens=1 gap=5 first=6]]', 0, { kind: 'reply', reply: { gapMs: 5, firstMs: 6 } }],
  ])('%s at retry %i', (text, retryCount, expected) => {
    expect(plan([user(text)], {}, retryCount)).toMatchObject(expected);
  });

  it.each([
    [100, 'thinking:2 text:3 tool_use:1 > tool_use'],
    [6, 'thinking:2 text:3 tool_use:1 > tool_use'],
    [5, 'thinking:2 text:3 > max_tokens'],
    [4, 'thinking:2 text:2 > max_tokens'],
    [1, ' > max_tokens'],
  ])('never says more than max_tokens=%i', (max_tokens, expected) => {
    const order = user('[[think=2]][[tokens=3]][[tool=a {"x":1}]]');
    expect(outline(reply([order], { max_tokens }))).toBe(expected);
  });

  it('cuts a call off inside its JSON', () => {
    const order = user('[[tool=a {"x":"1234567890"}]][[args=4]]');
    expect(reply([order], { max_tokens: 2 }).blocks).toEqual([
      { type: 'tool_use', id: 'toolu_1', name: 'a', input: {}, deltas: ['{"x"', ':"123'] },
    ]);
  });
});

describe('splitInput', () => {
  it.each<[number | undefined, number]>([
    [undefined, 4],
    [1, 1],
    [7, 7],
    [1000, 68],
  ])('makes fragments that add up (%p)', (count, expected) => {
    const input = { path: 'a/long/path/to/some/file.txt', note: 'é 😀', lines: [1, 2, 3] };
    const fragments = splitInput(input, count);
    expect(fragments.join('')).toBe(JSON.stringify(input));
    expect(fragments.every((fragment) => fragment !== '')).toBe(true);
    expect(fragments).toHaveLength(expected);
  });

  it('sends no input as one empty fragment', () => {
    expect(splitInput({}, 5)).toEqual(['']);
  });

  it('begins a paragraph with each text that follows a text', () => {
    const text = textOf(reply([user('[[cite]] [[tokens=2]]')]));
    expect(text).toBe('As "Rehearsal notes" says, this is a cited answer.\n\nword1 word2');
    expect(textOf(reply([user('[[think=2]] [[tokens=2]]')]))).toBe('word1 word2');
  });
});
