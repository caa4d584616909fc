import { describe, expect, it } from '@jest/globals';
import { acceptRequest, type AcceptedRequest } from '../accept-request.js';
import { currentContract } from '../http/read-request.js';
import { findProfile } from '../models/models.js';
import type { MessagesRequest, RequestBlock, RequestMessage } from '../request-types.js';
import { bindingBeta } from '../rules/check-parameters.js';
import { planThinkingBlocks } from './plan-thinking-blocks.js';

const user = (text: string): RequestMessage => ({
  role: 'user',
  content: [{ type: 'text', text }],
});
const assistant = (...content: RequestBlock[]): RequestMessage => ({ role: 'assistant', content });
const words = (text: string): RequestBlock => ({ type: 'text', text });
const call = (id: string): RequestBlock => ({
  type: 'tool_use',
  id,
  name: 'read',
  input: { b: 1, a: 2 },
});
const results = (...ids: string[]): RequestMessage => ({
  role: 'user',
  content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
});
const tools = [{ name: 'read', input_schema: { type: 'object' } }];

type Asked = Partial<MessagesRequest> & { messages: RequestMessage[] };

const base = { model: 'claude-sonnet-5-5', max_tokens: 4_000, system: 'Be brief.', tools };
const drop = {
  type: 'adaptive' as const,
  block_binding: { prefix_mismatch_behavior: 'drop_block' as const },
};

function accept(asked: Asked, betas: string[] = []): AcceptedRequest {
  return acceptRequest({ ...base, ...asked }, { ...currentContract, betas: new Set(betas) });
}

let replies = 0;

/** The thinking of the reply to a request. */
function think(asked: Asked, redacts = false): RequestBlock[] {
  const { body, profile } = accept(asked);
  const blocks = planThinkingBlocks({
    request: body,
    profile,
    directives: [{ name: 'think', count: 2 }, ...(redacts ? [{ name: 'redact' as const }] : [])],
    step: 1,
    newId: (prefix) => `${prefix}_${(replies += 1)}`,
  });
  return blocks.flatMap((block): RequestBlock[] => {
    if (block.type === 'redacted_thinking')
      return [{ type: 'redacted_thinking', data: block.data }];
    if (block.type !== 'thinking') return [];
    const thinking = block.isShown ? block.deltas.join('') : '';
    return [{ type: 'thinking', thinking, signature: block.signature }];
  });
}

/** Three turns with thinking: the messages, and the paths of the thinking. */
function conversation(more: Partial<MessagesRequest> = {}): RequestMessage[] {
  const messages: RequestMessage[] = [];
  for (const turn of [1, 2, 3]) {
    messages.push(user(`question ${turn}`));
    messages.push(assistant(...think({ ...more, messages }), words(`answer ${turn}`)));
  }
  return [...messages, user('and now?')];
}

/** The messages without the thinking of some turns, counted from 1. */
function without(messages: RequestMessage[], ...turns: number[]): RequestMessage[] {
  return messages.map((message, index) =>
    message.role === 'assistant' && turns.includes((index + 1) / 2)
      ? { ...message, content: (message.content as RequestBlock[]).slice(1) }
      : message,
  );
}

const bound = 'The block is bound to a different conversation.';

describe('a conversation that only grows', () => {
  it.each([
    'claude-sonnet-5-5',
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'claude-opus-4-8',
    'claude-sonnet-4-6',
  ])('is taken, with all its thinking (%s)', (model) => {
    const thinking = { type: 'adaptive' as const };
    const messages = conversation({ model, thinking });
    expect(JSON.stringify(messages).match(/signature/g)).toHaveLength(3);
    expect(accept({ model, thinking, messages })).toMatchObject({ dropped: [] });
  });

  it('goes on after a tool', () => {
    const asked = { messages: [user('go')] };
    const first = assistant(...think(asked), call('1'));
    const second = { messages: [...asked.messages, first, results('1')] };
    const messages = [...second.messages, assistant(...think(second), call('2')), results('2')];
    expect(accept({ messages }).dropped).toEqual([]);
  });
});

describe('harmless changes', () => {
  const messages = conversation();
  it.each<[string, Asked]>([
    ['thinking taken from the front', { messages: without(messages, 1) }],
    ['thinking taken from the front, more', { messages: without(messages, 1, 2) }],
    ['thinking taken from the end', { messages: without(messages, 3) }],
    ['all thinking taken', { messages: without(messages, 1, 2, 3) }],
    ['a cache mark', { messages, cache_control: { type: 'ephemeral' } }],
    [
      'a mark on the system prompt, which is a block now',
      {
        messages,
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      },
    ],
    ['another effort', { messages, output_config: { effort: 'low' } }],
    ['another max_tokens', { messages, max_tokens: 100 }],
    ['a tool choice', { messages, tool_choice: { type: 'none' } }],
    ['another display', { messages, thinking: { type: 'adaptive', display: 'summarized' } }],
    ['thinking off', { messages, thinking: { type: 'between_tools' } }],
    [
      'a deferred tool',
      {
        messages,
        tools: [...tools, { name: 'late', input_schema: { type: 'object' }, defer_loading: true }],
      },
    ],
    [
      'content as a string',
      {
        messages: messages.map((message, index) =>
          index === 0 ? { role: 'user', content: 'question 1' } : message,
        ),
      },
    ],
    [
      'a system message at the end',
      { messages: [...messages, { role: 'system', content: 'note' }] },
    ],
  ])('%s', (_name, asked) => {
    expect(accept(asked).dropped).toEqual([]);
  });

  it('neighbours of one role are merged', () => {
    const asked = { messages: [user('a'), user('b')] };
    const thought = think(asked);
    const merged: RequestMessage = { role: 'user', content: [words('a'), words('b')] };
    expect(
      accept({ messages: [merged, assistant(...thought, words('c')), user('d')] }).dropped,
    ).toEqual([]);
  });
});

describe('breaking changes', () => {
  const messages = conversation();
  const edited = (index: number, message: RequestMessage): RequestMessage[] =>
    messages.with(index, message);
  it.each<[string, Asked, string]>([
    ['another system prompt', { messages, system: 'Be long.' }, 'The `system` prompt has changed.'],
    ['no system prompt', { messages, system: [] }, 'The `system` prompt has changed.'],
    [
      'another tool',
      { messages, tools: [{ ...tools[0], name: 'write' }] },
      'The `tools` have changed.',
    ],
    [
      'one tool more',
      { messages, tools: [...tools, { name: 'w', input_schema: { type: 'object' } }] },
      'The `tools`',
    ],
    ['an edited question', { messages: edited(0, user('other')) }, 'The messages before'],
    [
      'an edited answer',
      { messages: edited(1, assistant(words('other'))) },
      'messages.3.content.0',
    ],
    ['a dropped turn', { messages: messages.slice(2) }, 'messages.1.content.0'],
    ['a notice put in', { messages: [user('note'), ...messages] }, 'The messages before'],
    ['a gap in the thinking', { messages: without(messages, 2) }, 'missing or out of order'],
  ])('%s', (_name, asked, says) => {
    expect(() => accept(asked)).toThrow(bound);
    expect(() => accept(asked)).toThrow(says);
  });

  it('thinking that was put back', () => {
    const before = without(messages, 1, 2, 3);
    const next = { messages: before };
    const later = [...before, assistant(...think(next), words('answer 4')), user('so?')];
    expect(accept({ messages: later }).dropped).toEqual([]);
    const restored = later.with(1, messages[1] ?? user(''));
    expect(() => accept({ messages: restored })).toThrow('Thinking before the block was put back.');
  });

  it('keys of input in another order', () => {
    const asked = { messages: [user('go'), assistant(call('1')), results('1')] };
    const thought = think(asked);
    const turned: RequestBlock = { type: 'tool_use', id: '1', name: 'read', input: { a: 2, b: 1 } };
    const later = (block: RequestBlock) => [
      user('go'),
      assistant(block),
      results('1'),
      assistant(...thought, words('done')),
      user('so?'),
    ];
    expect(accept({ messages: later(call('1')) }).dropped).toEqual([]);
    expect(() => accept({ messages: later(turned) })).toThrow(bound);
  });

  it('are none for a model that does not bind thinking', () => {
    const model = 'claude-opus-4-8';
    const thinking = { type: 'adaptive' as const };
    const old = conversation({ model, thinking });
    const asked = { model, thinking, messages: without(old, 2), system: 'Be long.', tools: [] };
    expect(accept(asked).dropped).toEqual([]);
  });
});

describe('drop_block', () => {
  it('drops thinking that is no longer bound, and reports it', () => {
    const messages = conversation();
    const asked = { messages: messages.with(2, user('other')), thinking: drop };
    const { body, dropped } = accept(asked, [bindingBeta]);
    expect(dropped).toEqual([
      { type: 'thinking_dropped', path: 'messages.3.content.0', reason: 'prefix_binding_mismatch' },
      { type: 'thinking_dropped', path: 'messages.5.content.0', reason: 'prefix_binding_mismatch' },
    ]);
    expect(JSON.stringify(body).match(/signature/g)).toHaveLength(1);
  });

  it('needs its header', () => {
    expect(() => accept({ messages: conversation(), thinking: drop })).toThrow(
      'thinking.adaptive.block_binding: Extra inputs are not permitted',
    );
  });

  it('is named in the refusal, with its header', () => {
    const changed = { messages: conversation(), system: 'Be long.' };
    expect(() => accept(changed)).toThrow(`That setting requires the \`${bindingBeta}\` value`);
  });
});

describe('thinking of another model', () => {
  const model = 'claude-opus-5-5';
  it('is dropped without a word', () => {
    const { body, dropped } = accept({ model, messages: conversation() });
    expect(dropped.map(({ reason }) => reason)).toEqual(
      Array.from({ length: 3 }, () => 'model_binding_mismatch'),
    );
    expect(JSON.stringify(body)).not.toContain('signature');
  });

  it('does not stand between those of this model', () => {
    const messages = conversation();
    const other = [
      ...messages,
      assistant(...think({ model, messages }), words('from opus')),
      user('back'),
    ];
    const back = [
      ...other,
      assistant(...think({ messages: other }), words('from sonnet')),
      user('so?'),
    ];
    expect(accept({ messages: back }).dropped.map(({ path }) => path)).toEqual([
      'messages.7.content.0',
    ]);
  });

  it('may be that of a real one, which cannot be read here', () => {
    const real: RequestBlock = { type: 'thinking', thinking: '', signature: 'EqQBCkYIBxgC' };
    expect(
      accept({ messages: [user('a'), assistant(real, words('b')), user('c')] }).dropped,
    ).toHaveLength(1);
  });

  it('leaves no empty message', () => {
    const messages = [user('a'), assistant(...think({ messages: [user('a')] })), user('b')];
    expect(accept({ model, messages }).body.messages).toEqual([user('a'), user('b')]);
  });
});

describe('the latest assistant turn', () => {
  const asked = { messages: [user('go')] };
  const [thought, redacted] = think(asked, true);
  const after = (...blocks: (RequestBlock | undefined)[]): Asked => ({
    messages: [
      user('go'),
      assistant(...blocks.flatMap((block) => block ?? []), call('1')),
      results('1'),
    ],
  });

  it('is taken as it was', () => {
    expect(accept(after(thought, redacted)).dropped).toEqual([]);
    expect(accept(after()).dropped).toEqual([]);
  });

  it.each([
    ['in another order', [redacted, thought]],
    ['in part', [redacted]],
    ['twice', [thought, thought, redacted]],
  ])('is refused %s', (_name, blocks) => {
    expect(() => accept(after(...blocks))).toThrow(
      'in the latest assistant message cannot be modified',
    );
  });
});

it('a profile says whose thinking is bound', () => {
  expect(findProfile('claude-sonnet-5-5').bindsThinking).toBe(true);
  expect(findProfile('claude-opus-5').bindsThinking).toBe(false);
});
