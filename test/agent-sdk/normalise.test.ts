import { describe, expect, it } from '@jest/globals';
import type { Json, Message } from './agent-sdk.js';
import { normalise, type Recording } from './normalise.js';
import type { Entry } from './record.js';

const session = '0b7c6a2e-3f0d-4c55-9f2b-6a2c9d1e7f10';
const other = '1b7c6a2e-3f0d-4c55-9f2b-6a2c9d1e7f11';

function yielded(message: Message, query = 1): Entry {
  return { at: 'message', query, message: { session_id: session, uuid: other, ...message } };
}

function assistant(id: string, ...content: Json[]): Entry {
  return yielded({ type: 'assistant', message: { id, content, stop_reason: null } });
}

const init = yielded({ type: 'system', subtype: 'init' });
const call = (id: string, name: string, input: Json): Json => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content: unknown, is_error?: boolean): Entry =>
  yielded({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
  });
const end = (more: Json = {}): Entry =>
  yielded({
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 1,
    duration_ms: 31,
    total_cost_usd: 0.5,
    result: 'Hello.',
    permission_denials: [],
    ...more,
  });

const recording = (entries: Entry[], more: Partial<Recording> = {}): Recording => ({
  project: '/tmp/of-a-run/project',
  entries,
  files: {},
  requests: [],
  faults: [],
  ...more,
});

describe('normalise', () => {
  it('orders kinds of messages by query, with a run of stream events as one, and skips what is not compared', () => {
    const entries = [
      init,
      yielded({ type: 'stream_event' }),
      yielded({ type: 'stream_event' }),
      assistant('msg_1', { type: 'text', text: 'Hello.' }),
      yielded({ type: 'system', subtype: 'informational' }),
      end(),
      yielded({ type: 'system', subtype: 'init' }, 2),
    ];
    expect(normalise(recording(entries), ['order'])).toEqual({
      order: [['system/init', 'stream_event', 'assistant text', 'result success'], ['system/init']],
    });
  });

  it('names calls by their order, and puts the project and ids of sessions away', () => {
    const input = { file_path: '/tmp/of-a-run/project/a.txt', note: `of ${session}, ${other}` };
    const entries = [init, assistant('msg_1', call('toolu_77', 'Write', input))];
    expect(normalise(recording(entries), ['calls'])).toEqual({
      calls: [
        {
          call: 'call-1',
          name: 'Write',
          input: { file_path: '<project>/a.txt', note: 'of session-1, <uuid>' },
          failed: null,
        },
      ],
    });
  });

  it('tells a result that failed from one that did not', () => {
    const entries = [
      assistant('msg_1', call('a', 'Read', {}), call('b', 'Read', {})),
      result('b', 'no', true),
      result('a', 'yes'),
    ];
    const { calls } = normalise(recording(entries), ['calls']);
    expect(calls).toMatchObject([
      { call: 'call-1', failed: false },
      { call: 'call-2', failed: true },
    ]);
  });

  it('keeps a text of ours, alone or within one of the SDK, and no other', () => {
    const entries = [
      assistant('msg_1', call('a', 'Read', {})),
      result('a', [
        { type: 'text', text: 'ours: not this one.' },
        { type: 'text', text: 'It was refused (ours: not this one.)' },
        { type: 'text', text: 'It was refused.' },
        { type: 'image' },
      ]),
    ];
    const { results } = normalise(recording(entries), ['results']);
    expect(results).toEqual([
      {
        call: 'call-1',
        failed: false,
        says: ['ours: not this one.', '<text> ours: not this one.', '<text>', 'image'],
      },
    ]);
  });

  it('keeps the last text of the model as the result of a query, and no text of the SDK', () => {
    const said = assistant('msg_1', { type: 'text', text: 'Hello.' });
    const { end: ended } = normalise(
      recording([said, end(), end({ result: 'An error of the SDK' })]),
      ['end'],
    );
    expect(ended).toEqual([
      {
        results: [
          {
            subtype: 'success',
            is_error: false,
            num_turns: 1,
            result: 'Hello.',
            denied: [],
            terminal_reason: null,
          },
          expect.objectContaining({ result: '<text>' }),
        ],
        threw: false,
      },
    ]);
  });

  it('says which query threw, also one without a message', () => {
    const error = { name: 'Error', message: 'gone' };
    const { end: ended } = normalise(recording([end(), { at: 'threw', query: 2, error }]), ['end']);
    expect(ended).toMatchObject([{ threw: false }, { results: [], threw: true }]);
    const late = normalise(recording([yielded({ type: 'result' }, 2)]), ['order', 'end']);
    expect(late['order']).toEqual([[], ['result undefined']]);
    expect(late['end']).toMatchObject([{ results: [], threw: false }, { threw: false }]);
  });

  it('compares deltas with the message that they become', () => {
    const event = (body: Json): Entry => yielded({ type: 'stream_event', event: body });
    const entries = [
      event({ type: 'message_start', message: { id: 'msg_1' } }),
      event({ type: 'content_block_delta', delta: { text: 'Hel' } }),
      event({ type: 'content_block_delta', delta: { text: 'lo.' } }),
      assistant('msg_1', { type: 'text', text: 'Hello!' }),
    ];
    expect(normalise(recording(entries), ['deltas'])['deltas']).toEqual([
      { events: ['message_start', 'content_block_delta'], said: 'Hello!', equal: false },
    ]);
  });

  it('takes the history of requests that end with a prompt, without what an SDK adds', () => {
    const prompt = {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>x' },
        { type: 'text', text: 'Go' },
      ],
    };
    const reply = { role: 'assistant', content: [call('a', 'Read', {})] };
    const answered = {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'a', content: 'x' }],
    };
    const requests = [
      { stream: true, messages: [prompt] },
      { stream: true, messages: [prompt, reply, answered] },
      { stream: false, messages: [prompt] },
    ];
    const entries: Entry[] = [{ at: 'prompt', text: 'Go' }];
    expect(normalise(recording(entries, { requests }), ['history'])['history']).toEqual([
      [{ role: 'user', says: ['Go'] }],
    ]);
  });

  it('takes marks in the order of the prompt, and texts of ours of the last request', () => {
    const requests = [
      { system: 'MARK-B', messages: [{ role: 'user', content: 'MARK-A' }] },
      {
        messages: [
          { role: 'user', content: 'ours: mind it.' },
          { role: 'assistant', content: 'ours: not.' },
        ],
      },
    ];
    const { marks, told } = normalise(recording([], { requests }), ['marks', 'told']);
    expect(marks).toEqual([['MARK-B', 'MARK-A'], []]);
    expect(told).toEqual(['ours: mind it.']);
  });

  it('always says what the program noted, returned and failed with, and what was wrong with requests', () => {
    const entries: Entry[] = [
      { at: 'note', what: 'folder', value: '/tmp/of-a-run/project' },
      { at: 'returned', value: 7 },
      { at: 'failed', error: { name: 'TypeError', message: 'secret' } },
    ];
    expect(normalise(recording(entries, { faults: ['A text is empty.'] }), [])).toEqual({
      notes: [{ folder: '<project>' }],
      returned: 7,
      failed: 'TypeError',
      faults: ['A text is empty.'],
    });
  });
});
