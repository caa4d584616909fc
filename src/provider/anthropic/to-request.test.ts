import { describe, expect, it } from '@jest/globals';
import type Anthropic from '@anthropic-ai/sdk';
import type { ModelRequest } from '../model-types.js';
import { requestProfiles } from './request-profile.js';
import { toRequest, toBody, markCache } from './to-request.js';

const request: ModelRequest = {
  model: 'claude-sonnet-5',
  system: 'Be brief.',
  maxTokens: 4096,
  tools: [
    {
      name: 'read_file',
      description: 'Reads a file.',
      inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
  messages: [
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'What is in these?' },
        { type: 'image', mediaType: 'image/png', base64: 'iVBO' },
        { type: 'pdf', title: 'a.pdf', base64: 'JVBE' },
        { type: 'document', title: 'b.txt', text: 'Hello' },
      ],
    },
    {
      role: 'assistant',
      parts: [
        { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
        { type: 'redacted_thinking', data: 'EmwK' },
        {
          type: 'text',
          text: 'Let me see.',
          citations: [{ type: 'page_location', file_id: null }],
        },
        { type: 'opaque', block: { type: 'server_tool_use', z: 1, a: { b: null } } },
        { type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'b', line: 1 } },
      ],
    },
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'And hurry.' },
        { type: 'tool_result', callId: 't1', output: 'no such file', isError: true },
      ],
    },
  ],
};

describe('toRequest', () => {
  it('has all documents cited, and no image, where that is asked for', () => {
    const [message] = toRequest({ ...request, citations: true }).messages;
    const content = message?.content as { type: string; citations?: unknown }[];
    expect(content.map(({ type, citations }) => [type, citations])).toEqual([
      ['text', undefined],
      ['image', undefined],
      ['document', { enabled: true }],
      ['document', { enabled: true }],
    ]);
  });

  it('writes every kind of part as its block, tool results first', () => {
    expect(toRequest(request)).toEqual({
      model: 'claude-sonnet-5',
      max_tokens: 4096,
      stream: true,
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [
        {
          name: 'read_file',
          description: 'Reads a file.',
          input_schema: {
            type: 'object',
            properties: { path: { type: 'string' } },
            required: ['path'],
          },
        },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is in these?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBO' } },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
            },
            {
              type: 'document',
              title: 'b.txt',
              source: { type: 'text', media_type: 'text/plain', data: 'Hello' },
              cache_control: { type: 'ephemeral' },
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'EqQB' },
            { type: 'redacted_thinking', data: 'EmwK' },
            {
              type: 'text',
              text: 'Let me see.',
              citations: [{ type: 'page_location', file_id: null }],
            },
            { type: 'server_tool_use', z: 1, a: { b: null } },
            { type: 'tool_use', id: 't1', name: 'read_file', input: { path: 'b', line: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: 'no such file', is_error: true },
            { type: 'text', text: 'And hurry.', cache_control: { type: 'ephemeral' } },
          ],
        },
      ],
    });
  });

  it('gives equal bytes for equal requests, and leaves the request alone', () => {
    const copy = structuredClone(request);
    expect(JSON.stringify(toRequest(copy))).toBe(JSON.stringify(toRequest(request)));
    expect(copy).toEqual(request);
  });

  it('leaves out an empty system prompt and tools, blank text and empty messages, which the API refuses', () => {
    const bare = toRequest({
      ...request,
      system: ' ',
      tools: [],
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'Hi' },
            { type: 'text', text: ' \n' },
          ],
        },
        { role: 'assistant', parts: [{ type: 'text', text: '' }] },
      ],
    });
    expect(bare).toEqual({
      model: 'claude-sonnet-5',
      max_tokens: 4096,
      stream: true,
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }],
        },
      ],
    });
  });

  it('sends a system message where it stands', () => {
    const [, message] = toRequest({
      ...request,
      messages: [
        { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
        { role: 'system', text: 'Hurry.' },
      ],
    }).messages;
    expect(message).toEqual({
      role: 'system',
      content: [{ type: 'text', text: 'Hurry.', cache_control: { type: 'ephemeral' } }],
    });
  });

  it('asks for thinking as it is planned, and for none where it would leave no reply', () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 2_048 };
    const asked = { ...request, thinking: { thinking, effort: 'low' as const } };
    expect(toRequest(asked)).toMatchObject({ thinking, output_config: { effort: 'low' } });
    expect(toRequest({ ...asked, maxTokens: 2_049 }).thinking).toEqual(thinking);
    expect(toRequest({ ...asked, maxTokens: 2_048 }).thinking).toBeUndefined();
    expect(toRequest(request)).not.toHaveProperty('thinking');
  });

  it('sends a tool that the provider defines by its type alone', () => {
    const memory = {
      name: 'memory',
      description: 'Keeps files.',
      inputSchema: { type: 'object' },
      definedAs: 'memory_20250818',
    } as const;
    expect(toRequest({ ...request, tools: [memory] }).tools).toEqual([
      { type: 'memory_20250818', name: 'memory' },
    ]);
  });

  it('lists tools that must not be called', () => {
    expect(toRequest({ ...request, toolChoice: 'none' })).toMatchObject({
      tools: [{ name: 'read_file' }],
      tool_choice: { type: 'none' },
    });
  });
});

type Message = Anthropic.MessageParam | Anthropic.SystemMessageParam;

const say = (role: Message['role'], ...texts: string[]): Message => ({
  role,
  content: texts.map((text) => ({ type: 'text' as const, text })),
});

/** The texts of the blocks that are marked. */
const marked = (messages: readonly Message[]): string[] =>
  markCache(messages, { type: 'ephemeral' }).flatMap(({ content }) =>
    (content as { text: string; cache_control?: unknown }[]).flatMap((block) =>
      block.cache_control === undefined ? [] : [block.text],
    ),
  );

describe('markCache', () => {
  it('marks the end, and where the calls before ended', () => {
    const messages = [
      say('user', 'a', 'b'),
      say('assistant', 'c'),
      say('user', 'd'),
      say('system', 'e'),
      say('assistant', 'f'),
      say('user', 'g', 'h'),
    ];
    expect(marked(messages)).toEqual(['b', 'e', 'h']);
  });

  it('marks no more than the API takes beside the system prompt', () => {
    const messages = Array.from({ length: 10 }, (_, index) => [
      say('user', `u${index}`),
      say('assistant', `a${index}`),
    ]).flat();
    expect(marked([...messages, say('user', 'end')])).toEqual(['u8', 'u9', 'end']);
  });

  it('leaves a reply that goes on unmarked', () => {
    expect(marked([say('user', 'a'), say('assistant', 'b')])).toEqual(['a']);
  });
});

describe('a request to a server that is not Anthropic', () => {
  const { ollama } = requestProfiles;

  it('has documents as text below their titles, in results too, and no citations', () => {
    const document = { type: 'document', title: 'c.txt', text: 'There' } as const;
    const result = { type: 'tool_result', callId: 't1', output: 'ok', isError: false } as const;
    const messages: ModelRequest['messages'] = [
      ...request.messages.slice(0, 2),
      { role: 'user', parts: [{ ...result, files: [document] }] },
    ];
    const body = toBody({ ...request, messages, citations: true }, ollama);
    expect(body).toContain(JSON.stringify('b.txt\n\nHello'));
    expect(body).toContain(JSON.stringify('c.txt\n\nThere'));
    expect(body).not.toContain('"text/plain"');
    expect(body).not.toContain('"enabled"');
  });

  it('describes every tool, and names none by its type', () => {
    const memory = {
      name: 'memory',
      description: 'Remembers.',
      inputSchema: { type: 'object' as const },
      definedAs: 'memory_20250818' as const,
    };
    const { tools } = toRequest({ ...request, tools: [memory] }, ollama);
    expect(tools).toEqual([
      { name: 'memory', description: 'Remembers.', input_schema: { type: 'object' } },
    ]);
  });

  it('says that the model is not to think, where it would by itself', () => {
    const plan = { thinking: { type: 'disabled' } } as const;
    expect(toRequest({ ...request, thinking: plan }, ollama)).toMatchObject(plan);
  });
});
