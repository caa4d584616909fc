import { describe, expect, it } from '@jest/globals';
import Anthropic, {
  AuthenticationError,
  BadRequestError,
  ContentTooLargeError,
  InternalServerError,
  NotFoundError,
  OverloadedError,
  PermissionDeniedError,
  RateLimitError,
} from '@anthropic-ai/sdk';
import type { RehearsalRequest } from './request-types.js';
import { startRehearsal } from './start-rehearsal.js';
import { useShared } from '../test/support/suite.js';

/** The rehearsal with the SDK that the provider uses. */

const seen: RehearsalRequest[] = [];

const rehearsal = useShared(() =>
  startRehearsal({ onRequest: (request) => void seen.push(request) }),
);

const client = (maxRetries = 0): Anthropic =>
  new Anthropic({ apiKey: 'x', baseURL: rehearsal.url, maxRetries });

const user = (content: string): Anthropic.MessageParam => ({ role: 'user', content });
const params = (messages: Anthropic.MessageParam[]): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude-sonnet-5-5',
  max_tokens: 1000,
  thinking: { type: 'adaptive', display: 'summarized' },
  messages,
});

/** The message that the SDK itself puts together from the stream. */
const reply = (...messages: Anthropic.MessageParam[]): Promise<Anthropic.Message> =>
  client().messages.stream(params(messages)).finalMessage();

const open = (text: string, maxRetries = 0) =>
  client(maxRetries).messages.create({ ...params([user(text)]), stream: true });

describe('the SDK', () => {
  it('reads text', async () => {
    const message = await reply(user('[[tokens=3]] please'));
    expect(message).toMatchObject({
      model: 'claude-sonnet-5-5',
      content: [{ type: 'text', text: 'word1 word2 word3' }],
      stop_reason: 'end_turn',
      usage: { output_tokens: 3 },
    });
  });

  it('reads raw events and leaves pings out', async () => {
    const types: string[] = [];
    for await (const event of await open('[[tokens=1]]')) types.push(event.type);
    expect(types).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('takes a loop of tools to its end', async () => {
    const messages = [user('[[loop=2 tool=look {"at":"page $i"}]] [[tool=list]] [[think=2]]')];
    const inputs: unknown[] = [];
    let message = await reply(...messages);
    while (message.stop_reason === 'tool_use') {
      const calls = message.content.filter((block) => block.type === 'tool_use');
      inputs.push(...calls.map((block) => block.input));
      messages.push(
        { role: 'assistant', content: message.content },
        {
          role: 'user',
          content: calls.map(({ id, name }) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: `seen by ${name}`,
          })),
        },
      );
      message = await reply(...messages);
    }
    expect(inputs).toEqual([{ at: 'page 1' }, {}, { at: 'page 2' }]);
    expect(message.content.at(-1)).toMatchObject({
      text: 'The tools answered:\n- look: seen by look\n- list: seen by list\n- look: seen by look',
    });
  });

  it('is refused a history in which a call has no result', async () => {
    const first = await reply(user('[[tool=look {"at":1}]]'));
    const messages = [user('go'), { role: 'assistant' as const, content: first.content }];
    await expect(reply(...messages, user('and now?'))).rejects.toThrow(BadRequestError);
  });

  it('reads thinking, and may send it back unchanged only', async () => {
    const first = await reply(user('[[think=3]]'));
    expect(first.content[0]).toMatchObject({
      type: 'thinking',
      thinking: 'thought1 thought2 thought3',
      signature: expect.stringMatching(/^rehearsal-/),
    });
    const history = (content: Anthropic.ContentBlockParam[]): Anthropic.MessageParam[] => [
      user('[[think=3]]'),
      { role: 'assistant', content },
      user('thanks'),
    ];
    await expect(reply(...history(first.content))).resolves.toMatchObject({ type: 'message' });
    const changed = first.content.map((block) =>
      block.type === 'thinking' ? { ...block, thinking: 'other' } : block,
    );
    await expect(reply(...history(changed))).rejects.toThrow(/cannot be modified/);
  });

  it('reads a citation', async () => {
    const message = await reply({
      role: 'user',
      content: [
        {
          type: 'document',
          title: 'Plan',
          source: { type: 'text', media_type: 'text/plain', data: 'First this.' },
        },
        { type: 'text', text: '[[cite]]' },
      ],
    });
    expect(message.content[0]).toMatchObject({
      text: 'As "Plan" says, this is a cited answer.',
      citations: [{ type: 'char_location', cited_text: 'First this.', document_title: 'Plan' }],
    });
  });

  it('goes on after a pause', async () => {
    const paused = await reply(user('[[stop=pause_turn]]'));
    expect(paused.stop_reason).toBe('pause_turn');
    const next = await reply(user('[[stop=pause_turn]]'), {
      role: 'assistant',
      content: paused.content,
    });
    expect(next).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'web_search_tool_result' }, { text: expect.stringContaining('found') }],
    });
  });

  it('learns why a reply was refused', async () => {
    expect(await reply(user('[[stop=refusal]]'))).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', explanation: 'A rehearsed refusal.' },
    });
  });

  it.each([
    [400, BadRequestError, 'invalid_request_error'],
    [401, AuthenticationError, 'authentication_error'],
    [403, PermissionDeniedError, 'permission_error'],
    [404, NotFoundError, 'not_found_error'],
    [413, ContentTooLargeError, 'request_too_large'],
    [429, RateLimitError, 'rate_limit_error'],
    [500, InternalServerError, 'api_error'],
    [529, OverloadedError, 'overloaded_error'],
  ])('throws its own error for %i', async (status, type, errorType) => {
    const failed = await open(`[[fail=${status}]]`).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(type);
    expect(failed).toMatchObject({
      status,
      type: errorType,
      requestID: expect.stringMatching(/^req_/),
    });
  });

  it('throws an error that comes in the stream', async () => {
    let texts = 0;
    const read = async (): Promise<void> => {
      for await (const event of await open('[[tokens=9]][[fail=529 after=4]]')) {
        if (event.type === 'content_block_delta') texts += 1;
      }
    };
    await expect(read()).rejects.toMatchObject({ type: 'overloaded_error' });
    expect(texts).toBe(4);
  });

  it('retries a failure until it is over', async () => {
    seen.length = 0;
    for await (const event of await open('[[tokens=1]][[fail=529 times=1]]', 2)) {
      expect(event.type).not.toBe('error');
    }
    expect(seen.map(({ headers }) => headers['x-stainless-retry-count'])).toEqual(['0', '1']);
  });

  it('throws when the connection drops', async () => {
    const read = async (): Promise<void> => {
      for await (const event of await open('[[tokens=9]][[drop after=2]]')) {
        expect(event.type).not.toBe('message_stop');
      }
    };
    await expect(read()).rejects.toThrow('terminated');
  });

  it('aborts a reply that is under way', async () => {
    const events = await open('[[tokens=2]][[stall=600000]]');
    const types: string[] = [];
    for await (const event of events) {
      types.push(event.type);
      if (event.type === 'content_block_delta') events.controller.abort();
    }
    expect(types.at(-1)).toBe('content_block_delta');
  });

  it('looks a model up', async () => {
    expect(await client().models.retrieve('claude-haiku-4-5')).toMatchObject({
      id: 'claude-haiku-4-5-20251001',
      max_input_tokens: 200_000,
      capabilities: { thinking: { types: { adaptive: { supported: false } } } },
    });
    await expect(client().models.retrieve('gpt')).rejects.toThrow(NotFoundError);
  });
  it('reads the list of models page by page', async () => {
    const ids: string[] = [];
    for await (const model of client().models.list({ limit: 5 })) ids.push(model.id);
    expect(ids).toContain('claude-haiku-4-5-20251001');
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain('claude-opus-4-1-20250805');
    const gone: string[] = [];
    for await (const model of client().models.list({ lifecycle: ['retired'] })) gone.push(model.id);
    expect(gone).toContain('claude-opus-4-1-20250805');
    expect(gone).not.toContain('claude-sonnet-5-5');
  });

  it('counts tokens as a message does', async () => {
    const {
      stream: _stream,
      max_tokens: _most,
      ...counted
    } = { ...params([user('Count me.')]), stream: false };
    const { input_tokens } = await client().messages.countTokens(counted);
    expect(input_tokens).toBeGreaterThan(2);
    expect((await reply(user('Count me.'))).usage.input_tokens).toBe(input_tokens);
  });

  it('counts a request whose thinking takes more than the smallest model replies with', async () => {
    const request = {
      model: 'claude-haiku-4-5-20251001',
      messages: [user('Count me.')],
      thinking: { type: 'enabled' as const, budget_tokens: 40_000 },
    };
    expect((await client().messages.countTokens(request)).input_tokens).toBeGreaterThan(2);
  });
});
