import { describe, expect, it } from '@jest/globals';
import { signThinking } from './sign-thinking.js';
import { validateRequest } from './validate-request.js';

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
const marked = (value: string) => ({ ...text(value), cache_control: { type: 'ephemeral' } });
const image = (source: object) => [user([{ type: 'image', source }])];

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
    ['a last assistant message, to go on from', request([user('go'), assistant('So far')])],
    [
      'thinking as it was signed',
      request([
        user('go'),
        assistant([{ type: 'thinking', thinking: 'hm', signature: signThinking('hm') }, text('a')]),
        user('on'),
      ]),
    ],
    [
      'thinking of another model',
      request([user('go'), assistant([{ type: 'thinking', thinking: 'hm', signature: 'EqQB' }])]),
    ],
    ['an empty system prompt', request(hello, { system: '' })],
    ['tools', request(hello, { tools: [{ name: 'a', input_schema: { type: 'object' } }] })],
    [
      "the provider's tools",
      request(hello, { tools: [{ name: 'w', type: 'web_search_20250305' }] }),
    ],
    ['an image', request(image({ type: 'base64', media_type: 'image/png', data: 'aGk=' }))],
    ['four cache marks', request([user([1, 2, 3, 4].map((n) => marked(`${n}`)))])],
  ])('takes %s', (_name, body) => {
    expect(() => validateRequest(body)).not.toThrow();
  });

  it.each<[string, unknown]>([
    ['The body must be a JSON object', []],
    ['model: Field required', { max_tokens: 1, messages: hello }],
    ['max_tokens: Field required', { model: 'claude-x', messages: hello }],
    ['max_tokens: Input should be', request(hello, { max_tokens: 0 })],
    ['max_tokens: Input should be', request(hello, { max_tokens: '10' })],
    ['messages: Field required', { model: 'claude-x', max_tokens: 1 }],
    ['messages: at least one message', request([])],
    ['messages.0: the first message must have the role "user"', request([assistant('a')])],
    ['messages.0: the first message must have the role "user"', request([system('a')])],
    [
      "messages.1.role: Input should be 'user'",
      request([user('a'), { role: 'tool', content: 'b' }]),
    ],
    ['messages.2: a system message must follow', request([user('a'), assistant('b'), system('c')])],
    ['messages.0.content: Field required', request([{ role: 'user' }])],
    ['messages.0: user messages must have non-empty content', request([user('')])],
    ['messages.1: assistant messages must have non-empty', request([user('a'), assistant([])])],
    [
      'messages.0.content.1: text content blocks must be non-empty',
      request([user([text('a'), text('')])]),
    ],
    [
      'messages.0.content.0: text content blocks must contain non-w',
      request([user([text(' \n')])]),
    ],
    ['messages.0.content: text content blocks must contain non-w', request([user('  ')])],
    ['system.0: text content blocks must be non-empty', request(hello, { system: [text('')] })],
    ['messages.0.content.0: a "dance" block is not allowed', request([user([{ type: 'dance' }])])],
    [
      'messages.0.content.0: a "tool_use" block is not allowed in user',
      request([user([call('1')])]),
    ],
    [
      'messages.1.content.0: a "tool_result" block is not allowed in assistant',
      request([user('a'), assistant([result('1')])]),
    ],
    [
      'messages.1.content.0.signature: Field required',
      request([user('a'), assistant([{ type: 'thinking', thinking: 'hm', signature: '' }])]),
    ],
    [
      'messages.1.content.0: Invalid `signature`',
      request([
        user('a'),
        assistant([{ type: 'thinking', thinking: 'changed', signature: signThinking('hm') }]),
      ]),
    ],
    [
      'messages.1.content.0.input: Input should be an object',
      request([user('a'), assistant([{ ...call('1'), input: '{}' }])]),
    ],
    [
      'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: 2',
      request([user('a'), assistant([call('1'), call('2')]), user([result('1')])]),
    ],
    [
      'messages.1: `tool_use` ids were found without',
      request([user('a'), assistant([call('1')]), user('never mind'), assistant('b')]),
    ],
    ['messages.1: `tool_use` ids were found without', request([user('a'), assistant([call('1')])])],
    [
      'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: 9',
      request([user('a'), assistant('b'), user([result('9')])]),
    ],
    [
      'messages.4.content.0: unexpected `tool_use_id`',
      request([
        user('a'),
        assistant([call('1')]),
        user([result('1')]),
        assistant('b'),
        user([result('1')]),
      ]),
    ],
    [
      'messages.2.content.1: unexpected `tool_use_id`',
      request([user('a'), assistant([call('1')]), user([result('1'), result('1')])]),
    ],
    [
      'messages.2.content.1: `tool_result` blocks must come before',
      request([user('a'), assistant([call('1')]), user([text('here'), result('1')])]),
    ],
    [
      'messages.3.content.0: `tool_use` ids must be unique: 1',
      request([
        user('a'),
        assistant([call('1')]),
        user([result('1')]),
        assistant([call('1')]),
        user([result('1')]),
      ]),
    ],
    ['tools.0.name: String should match', request(hello, { tools: [{ name: 'a b' }] })],
    ['tools.0.input_schema: Field required', request(hello, { tools: [{ name: 'a' }] })],
    [
      'tools: Tool names must be unique, "a"',
      request(hello, {
        tools: ['a', 'a'].map((name) => ({ name, input_schema: { type: 'object' } })),
      }),
    ],
    ['stream: Input should be a boolean', request(hello, { stream: 'yes' })],
    ['stop_sequences: Input should be', request(hello, { stop_sequences: 'x' })],
    ['messages.0.content.0.source: Field required', request([user([{ type: 'image' }])])],
    [
      'messages.0.content.0.source.data: Invalid base64',
      request(
        image({ type: 'base64', media_type: 'image/png', data: 'data:image/png;base64,aGk=' }),
      ),
    ],
    [
      'messages.0.content.0.source.media_type: "image/tiff" is not one of',
      request(image({ type: 'base64', media_type: 'image/tiff', data: 'aGk=' })),
    ],
    [
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
      request([user([1, 2, 3, 4].map((n) => marked(`${n}`)))], { system: [marked('s')] }),
    ],
  ])('refuses: %s', (message, body) => {
    expect(() => validateRequest(body)).toThrow(
      expect.objectContaining({
        type: 'invalid_request_error',
        status: 400,
        message: expect.stringContaining(message),
      }),
    );
  });
});
