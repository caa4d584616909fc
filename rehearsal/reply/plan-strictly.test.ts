import { describe, expect, it } from '@jest/globals';
import { acceptRequest } from '../accept-request.js';
import type { MessagesRequest, RequestMessage } from '../request-types.js';
import { encodeMessage } from './encode-reply.js';
import { planReply, type Plan } from './plan-reply.js';
import type { WireMessage } from './reply-plan.js';

type Asked = Partial<MessagesRequest>;

const user = (content: string): RequestMessage => ({ role: 'user', content });

function plan(text: string, asked: Asked = {}, headroom = 100_000): Plan {
  let made = 0;
  const body = { model: 'claude-sonnet-5-5', max_tokens: 2_000, messages: [user(text)], ...asked };
  return planReply(acceptRequest(body), {
    retryCount: 0,
    headroom,
    newId: (prefix) => `${prefix}_${(made += 1)}`,
  });
}

/** The whole answer to a client. */
function answer(text: string, asked: Asked = {}, headroom?: number): WireMessage {
  const planned = plan(text, asked, headroom);
  if (planned.kind === 'failure') throw new Error(`it failed: ${planned.failure.status}`);
  return encodeMessage(planned.reply, {
    messageId: 'msg_1',
    model: 'claude-sonnet-5-5',
    prompt: { input: 1, cacheRead: 0, write5m: 0, write1h: 0 },
    transformations: undefined,
  });
}

const typesOf = ({ content }: WireMessage): string => content.map(({ type }) => type).join(' ');

describe('thinking', () => {
  it.each<[string, Asked, string]>([
    ['is hidden by default from 4.7 on', {}, ''],
    [
      'is shown where it is asked for',
      { thinking: { type: 'adaptive', display: 'summarized' } },
      'thought1 thought2',
    ],
    [
      'is shown by default before',
      { model: 'claude-sonnet-4-6', thinking: { type: 'adaptive' } },
      'thought1 thought2',
    ],
  ])('%s', (_name, asked, shown) => {
    const message = answer('[[think=2]]', asked);
    expect(message.content[0]).toMatchObject({
      type: 'thinking',
      thinking: shown,
      signature: expect.stringMatching(/^rehearsal-/),
    });
    expect(message.usage.output_tokens_details).toEqual({ thinking_tokens: 2 });
  });

  it.each<[string, Asked]>([
    ['off', { model: 'claude-opus-5', thinking: { type: 'disabled' } }],
    ['off up front', { thinking: { type: 'between_tools' } }],
    ['off by default', { model: 'claude-opus-4-8' }],
  ])('is not there when it is %s', (_name, asked) => {
    const message = answer('[[think=2]] [[redact]]', asked);
    expect(typesOf(message)).toBe('text');
    expect(message.usage.output_tokens_details).toBeNull();
  });

  it('begins each turn of a model with a budget, unasked', () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 1_024 };
    const asked = { model: 'claude-haiku-4-5', thinking };
    expect(typesOf(answer('hello', asked))).toBe('thinking text');
  });

  it.each<[string, Asked, object[]]>([
    ['a block of its own', {}, [{ type: 'thinking', thinking: '' }]],
    [
      'shown with thinking off up front',
      { thinking: { type: 'between_tools' } },
      [{ type: 'thinking', thinking: 'update1 update2' }],
    ],
    ['none for another model', { model: 'claude-opus-5-5' }, []],
  ])('is what updates come in: %s', (_name, asked, expected) => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const { content } = answer('[[update=2]] [[tool=look]]', { ...asked, tools });
    expect(content).toMatchObject([...expected, { type: 'tool_use' }]);
  });

  it('may be redacted', () => {
    expect(answer('[[redact]]').content[0]).toMatchObject({
      type: 'redacted_thinking',
      data: expect.stringMatching(/^rehearsal-/),
    });
  });
});

describe('a reply', () => {
  it('may be empty', () => {
    expect(answer('[[empty]]')).toMatchObject({ content: [], stop_reason: 'end_turn' });
  });

  it('may have half a surrogate pair', () => {
    const sent = JSON.stringify(answer('[[surrogate]]').content);
    expect(sent).toContain(String.raw`\ud83d"`);
  });

  it('ends with the window', () => {
    const message = answer('[[tokens=50]]', {}, 7);
    expect(message.stop_reason).toBe('model_context_window_exceeded');
    expect(message.usage.output_tokens).toBe(7);
    expect(answer('[[tokens=50]]', { max_tokens: 7 }).stop_reason).toBe('max_tokens');
  });

  it('is none where the cache is filled only', () => {
    const message = answer('hello', { max_tokens: 0 });
    expect(message).toMatchObject({ content: [], stop_reason: 'max_tokens' });
    expect(message.usage.output_tokens).toBe(0);
  });

  it('calls no tool where it may not', () => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const asked = { tools, tool_choice: { type: 'none' as const } };
    expect(typesOf(answer('[[tool=look]]', asked))).toBe('text');
    expect(typesOf(answer('[[tool=look]]', { tools }))).toBe('tool_use');
  });

  it('says why it was refused', () => {
    expect(answer('[[stop=refusal category=bio]]').stop_details).toMatchObject({ category: 'bio' });
    expect(answer('[[stop=refusal]]').stop_details).toMatchObject({ category: 'general_harms' });
  });
});

describe("the API's own tools", () => {
  it('are called, have results, and are cited', () => {
    const message = answer('[[server=web_search {"query":"x"}]] [[tokens=1]]');
    expect(typesOf(message)).toBe('text server_tool_use web_search_tool_result text');
    expect(message.content[1]).toMatchObject({ name: 'web_search', input: { query: 'x' } });
    expect(message.usage.server_tool_use).toEqual({
      web_search_requests: 1,
      web_fetch_requests: 0,
    });
  });

  it.each([
    ['web_fetch', 'web_fetch_tool_result'],
    ['code_execution', 'code_execution_tool_result'],
    ['bash_code_execution', 'bash_code_execution_tool_result'],
  ])('say what theirs say: %s', (name, type) => {
    expect(typesOf(answer(`[[server=${name}]]`))).toBe(`text server_tool_use ${type}`);
  });

  it('are gone on with after the results of tools of the client', () => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const order = user('[[tool=look]] [[stop=pause_turn]]');
    const first = answer('', { messages: [order], tools });
    expect(typesOf(first)).toBe('server_tool_use tool_use');
    const messages = [
      order,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] },
    ] as RequestMessage[];
    expect(typesOf(answer('', { messages, tools }))).toBe('web_search_tool_result text');
  });

  it('are gone on with after a pause', () => {
    const paused = answer('[[stop=pause_turn]]');
    expect(paused.stop_reason).toBe('pause_turn');
    expect(typesOf(paused)).toBe('text server_tool_use');
    const messages = [
      user('[[stop=pause_turn]]'),
      { role: 'assistant', content: paused.content } as RequestMessage,
    ];
    const next = answer('', { messages });
    expect(typesOf(next)).toBe('web_search_tool_result text');
    expect(next.stop_reason).toBe('end_turn');
  });
});

describe('a failure', () => {
  it.each([
    ['spend_limit', 400, /^You have reached your specified/],
    ['enforced_spend_limit', 429, /spend limit/],
    ['credit', 400, /^Your credit balance is too low/],
    ['ramp_limit', 429, /ramp/],
    ['prompt_too_long', 400, /^prompt is too long: 1000001 tokens > 1000000 maximum/],
    ['bound', 400, /bound to a different conversation/],
  ])('%s has the words of the API', (name, status, message) => {
    expect(plan(`[[fail=${name}]]`)).toMatchObject({
      kind: 'failure',
      failure: { status, message: expect.stringMatching(message) },
    });
  });

  it('says when to come back', () => {
    expect(plan('[[fail=429 retry=30]]')).toMatchObject({ failure: { retryAfter: 30 } });
  });

  it('may come in the stream before any text', () => {
    expect(plan('[[fail=529 after=0]]')).toMatchObject({
      reply: { breakOff: { how: 'error', failure: { status: 529 }, after: 0 } },
    });
  });
});
