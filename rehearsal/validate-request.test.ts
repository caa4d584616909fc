import { describe, expect, it } from '@jest/globals';
import { validateRequest } from './accept-request.js';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const system = (content: unknown) => ({ role: 'system', content });
const text = (value: string) => ({ type: 'text', text: value });
const call = (id: string) => ({ type: 'tool_use', id, name: 'read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const request = (messages: unknown, more: object = {}) => ({
  model: 'claude-x',
  max_tokens: 10,
  messages,
  ...more,
});
const hello = [user('hello')];
const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
const png = 'iVBORw0KGgo=';
const marked = (value: string) => ({ ...text(value), cache_control: { type: 'ephemeral' } });
const image = (source: object) => [user([{ type: 'image', source }])];
const document = (enabled?: boolean) => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'x' },
  ...(enabled !== undefined && { citations: { enabled } }),
});

describe('validateRequest', () => {
  it.each<[string, unknown]>([
    ['a string', request(hello)],
    ['blocks', request([user([text('a'), text('b')])])],
    ['neighbours of one role', request([user('a'), user('b'), assistant('c'), assistant('d')])],
    ['a system message after a user', request([user('a'), system('note'), assistant('b')])],
    [
      'calls and their results, then text',
      request([
        user('go'),
        assistant([text('now'), call('1'), call('2')]),
        user([result('2'), result('1'), text('a notice')]),
        system('another'),
        system('and one more'),
        assistant([call('3')]),
        user([result('3')]),
      ]),
    ],
    [
      'results in two messages',
      request([
        user('go'),
        assistant([call('1'), call('2')]),
        user([result('1')]),
        user([result('2')]),
      ]),
    ],
    ['a system message at the end', request([user('a'), system('note')])],
    ['an open call of a server tool, at the end', request([user('a'), assistant([search])])],
    [
      'an open call of a server tool beside one of ours',
      request([user('a'), assistant([search, call('1')]), user([result('1')])]),
    ],
    ['an empty last assistant message', request([user('go'), assistant([])])],
    [
      'a system message after the result of a server tool',
      request([
        user('a'),
        assistant([text('b'), search, { type: 'web_search_tool_result', tool_use_id: 's1' }]),
        system('note'),
      ]),
    ],
    ['a last assistant message, to go on from', request([user('go'), assistant('So far')])],
    [
      'thinking of another model',
      request([user('go'), assistant([{ type: 'thinking', thinking: 'hm', signature: 'EqQB' }])]),
    ],
    ['an empty system prompt', request(hello, { system: '' })],
    ['tools', request(hello, { tools: [{ name: 'a', input_schema: { type: 'object' } }] })],
    [
      'the memory tool',
      request(hello, { tools: [{ name: 'memory', type: 'memory_20250818', strict: true }] }),
    ],
    [
      "the provider's tools",
      request(hello, { tools: [{ name: 'w', type: 'web_search_20250305' }] }),
    ],
    ['an image', request(image({ type: 'base64', media_type: 'image/png', data: png }))],
    ['documents without citations', request([user([document(), document(false)])])],
    ['documents with citations', request([user([document(true), document(true)])])],
    ['four cache marks', request([user([1, 2, 3, 4].map((n) => marked(`${n}`)))])],
  ])('takes %s', (_name, body) => {
    expect(() => validateRequest(body)).not.toThrow();
  });
});
