import { describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '../model-types.js';
import { callIdFor, toCall } from './to-call.js';
import { makerKinds } from './maker-table.js';

const openai = { name: 'openai', kind: makerKinds.openai };
const mistral = { name: 'mistral', kind: makerKinds.mistral };

const request: ModelRequest = {
  model: 'openai/gpt',
  system: 'Be brief.',
  maxTokens: 500,
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
  messages: [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'See' },
        { type: 'image', mediaType: 'image/png', base64: 'AAAA' },
        { type: 'pdf', title: 'a.pdf', base64: 'JVBE' },
        { type: 'document', title: 'b.txt', text: 'Hello' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        {
          type: 'thinking',
          thinking: 'Own',
          signature: '',
          meta: { openai: { openai: { itemId: 'rs_1' } } },
        },
        { type: 'thinking', thinking: 'Of Claude', signature: 'EqQB' },
        { type: 'thinking', thinking: 'Of Google', signature: '', meta: { google: {} } },
        { type: 'opaque', block: { type: 'server_tool_use' } },
        { type: 'text', text: 'I look.', meta: { openai: { openai: { itemId: 'msg_1' } } } },
        { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'x' }, meta: { google: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'And?' },
        {
          type: 'tool_result',
          callId: 'call_1',
          output: 'seen',
          files: [{ type: 'image', mediaType: 'image/png', base64: 'BBBB' }],
          isError: false,
        },
      ],
    },
  ],
};

describe('a request as a call of a package', () => {
  it('has results first, in a message of their own, with the names of their tools', () => {
    const { prompt } = toCall(request, openai);
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(prompt[3]).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'call_1',
          toolName: 'look',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'seen' },
              { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'BBBB' } },
            ],
          },
        },
      ],
    });
  });

  it('has what the maker itself gave, and nothing that only another one can read', () => {
    const own = toCall(request, openai).prompt[2];
    expect(own?.content).toEqual([
      { type: 'reasoning', text: 'Own', providerOptions: { openai: { itemId: 'rs_1' } } },
      { type: 'text', text: 'I look.', providerOptions: { openai: { itemId: 'msg_1' } } },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'look', input: { at: 'x' } },
    ]);
    const others = toCall(request, mistral).prompt[2];
    expect(JSON.stringify(others)).not.toMatch(/Own|Claude|Google|itemId/);
  });

  it('has files as the maker takes them, beside the result where that may have none', () => {
    const { prompt } = toCall(request, mistral);
    expect(prompt[3]).toMatchObject({ content: [{ output: { type: 'text', value: 'seen' } }] });
    expect(prompt[4]).toMatchObject({
      content: [
        { type: 'text', text: 'Files of the result call_1:' },
        { type: 'file', mediaType: 'image/png' },
        { type: 'text', text: 'And?' },
      ],
    });
    expect(prompt[1]).toMatchObject({
      content: [
        { text: 'See' },
        { mediaType: 'image/png' },
        { mediaType: 'application/pdf', filename: 'a.pdf' },
        { text: 'b.txt\n\nHello' },
      ],
    });
  });

  it('says what is stored, how much is thought, and how many calls come at once', () => {
    const plan = { thinking: { type: 'adaptive', display: 'summarized' }, effort: 'high' } as const;
    const call = toCall({ ...request, thinking: plan, toolChoice: 'one' }, openai);
    const promptCacheKey = expect.any(String);
    const always = { store: false, promptCacheKey };
    expect([call.reasoning, call.providerOptions]).toEqual([
      'high',
      { openai: { ...always, reasoningSummary: 'auto', parallelToolCalls: false } },
    ]);
    expect(toCall(request, openai).providerOptions).toEqual({
      openai: { ...always, reasoningSummary: null },
    });
    const off = { thinking: { type: 'disabled' } } as const;
    expect(toCall({ ...request, thinking: off }, mistral)).toMatchObject({ reasoning: 'none' });
    expect(toCall({ ...request, toolChoice: 'none' }, openai).toolChoice).toEqual({ type: 'none' });
  });

  it('has one key of the cache for the calls of a conversation, and another for those of others', () => {
    const keyOf = (of: ModelRequest): unknown => {
      const { promptCacheKey } = toCall(of, openai).providerOptions?.['openai'] ?? {};
      return promptCacheKey;
    };
    const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] }) as const;
    const messages = [user('Hello')];
    const key = keyOf({ ...request, messages });
    expect(keyOf({ ...request, messages: [...messages, user('And more')] })).toBe(key);
    expect(keyOf({ ...request, messages: [user('Other')] })).not.toBe(key);
    expect(keyOf({ ...request, messages, system: 'Another' })).not.toBe(key);
    expect(toCall(request, mistral).providerOptions?.['mistral'] ?? {}).not.toHaveProperty(
      'promptCacheKey',
    );
  });

  it('is the same for the same request', () => {
    expect(JSON.stringify(toCall(request, openai))).toBe(JSON.stringify(toCall(request, openai)));
  });
});

describe('the id of a call', () => {
  it('is the maker’s own where it takes it, and always the same other one where not', () => {
    expect(callIdFor('call_1', makerKinds.openai)).toBe('call_1');
    expect(callIdFor('abcDEF123', makerKinds.mistral)).toBe('abcDEF123');
    expect(callIdFor('toolu_01', makerKinds.mistral)).toMatch(/^[a-z0-9]{9}$/);
    expect(callIdFor('toolu_01', makerKinds.mistral)).toBe(
      callIdFor('toolu_01', makerKinds.mistral),
    );
    const long = 'x'.repeat(65);
    expect(callIdFor(long, makerKinds.openai)).toHaveLength(64);
  });
});
