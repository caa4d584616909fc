import { describe, expect, it } from '@jest/globals';
import { findProfile } from '../models/models.js';
import type { CacheMark, MessagesRequest, RequestBlock, RequestMessage } from '../request-types.js';
import { PromptCache, type PromptUsage } from './prompt-cache.js';
import { promptItems } from './prompt-items.js';

/** Counts a token for each character, so that counts can be read off the request. */
const count = (text: string): number => text.length;
const fiveMinutes: CacheMark = { type: 'ephemeral' };
const anHour: CacheMark = { type: 'ephemeral', ttl: '1h' };

const block = (length: number, mark?: CacheMark): RequestBlock => ({
  type: 'text',
  text: 'x'.repeat(length),
  ...(mark ? { cache_control: mark } : {}),
});
const user = (...content: RequestBlock[]): RequestMessage => ({ role: 'user', content });

/** A cache, its clock, and the usage of a prompt of a model without a factor. */
function makeCache(model = 'claude-sonnet-4-6') {
  const time = { now: 0 };
  const cache = new PromptCache(() => time.now);
  const use = (asked: Partial<MessagesRequest>): PromptUsage => {
    const body = { model, max_tokens: 10, messages: [user(block(1))], ...asked };
    const profile = findProfile(body.model);
    return cache.use(promptItems(body, profile, count), profile);
  };
  return { time, use };
}

const usage = (input: number, cacheRead: number, write5m: number, write1h = 0): PromptUsage => ({
  input,
  cacheRead,
  write5m,
  write1h,
});

describe('a prompt without marks', () => {
  it('is neither written nor read', () => {
    const { use } = makeCache();
    const asked = { messages: [user(block(5_000))] };
    expect(use(asked)).toEqual(usage(5_000, 0, 0));
    expect(use(asked)).toEqual(usage(5_000, 0, 0));
  });
});

describe('a mark', () => {
  it('writes the prompt before it, which the next prompt reads', () => {
    const { use } = makeCache();
    const first = block(2_000, fiveMinutes);
    expect(use({ messages: [user(first, block(7))] })).toEqual(usage(7, 0, 2_000));
    expect(use({ messages: [user(first, block(9))] })).toEqual(usage(9, 2_000, 0));
  });

  it('may move: it is not compared', () => {
    const { use } = makeCache();
    use({ messages: [user(block(2_000, fiveMinutes))] });
    const next = { messages: [user(block(2_000), block(300, fiveMinutes))] };
    expect(use(next)).toEqual(usage(0, 2_000, 300));
  });

  it('at the top is one on the last block', () => {
    const { use } = makeCache();
    use({ messages: [user(block(2_000))], cache_control: fiveMinutes });
    const next = { messages: [user(block(2_000)), user(block(50))], cache_control: fiveMinutes };
    expect(use(next)).toEqual(usage(0, 2_000, 50));
  });

  it.each([
    ['claude-sonnet-4-6', 1_023, 1_024],
    ['claude-haiku-4-5', 4_095, 4_096],
    ['claude-sonnet-5-5', 393, 394],
  ])('of %s is void below the least size', (model, below, enough) => {
    const { use } = makeCache(model);
    expect(use({ messages: [user(block(below, fiveMinutes))] })).toMatchObject({ write5m: 0 });
    const written = use({ messages: [user(block(enough, fiveMinutes))] });
    expect(written.input).toBe(0);
    expect(written.write5m).toBe(findProfile(model).cacheMinimum + (model.includes('5-5') ? 1 : 0));
  });

  it('looks twenty blocks back, and no further', () => {
    const blocks = (more: number): RequestBlock[] => [
      ...Array.from({ length: more }, () => block(10)),
      block(5, fiveMinutes),
    ];
    const prompt = (more: number) => ({ messages: [user(block(2_000), ...blocks(more))] });
    const near = makeCache();
    near.use({ messages: [user(block(2_000, fiveMinutes))] });
    expect(near.use(prompt(18))).toEqual(usage(0, 2_000, 185));
    const far = makeCache();
    far.use({ messages: [user(block(2_000, fiveMinutes))] });
    expect(far.use(prompt(19))).toEqual(usage(0, 0, 2_195));
  });
});

describe('how long a prompt is kept', () => {
  it('is five minutes from the last use', () => {
    const { time, use } = makeCache();
    const asked = { messages: [user(block(2_000, fiveMinutes))] };
    use(asked);
    time.now += 299_999;
    expect(use(asked)).toEqual(usage(0, 2_000, 0));
    time.now += 299_999;
    expect(use(asked)).toEqual(usage(0, 2_000, 0));
    time.now += 300_000;
    expect(use(asked)).toEqual(usage(0, 0, 2_000));
  });

  it('is an hour where the mark says so, and both are counted apart', () => {
    const { time, use } = makeCache();
    const asked = {
      system: [{ type: 'text' as const, text: 's'.repeat(3_000), cache_control: anHour }],
      messages: [user(block(2_000, fiveMinutes), block(4))],
    };
    expect(use(asked)).toEqual(usage(4, 0, 2_000, 3_000));
    time.now += 3_000_000;
    expect(use(asked)).toEqual(usage(4, 3_000, 2_000));
  });
});

describe('a change of the prompt', () => {
  const tools = [
    { name: 'a', input_schema: {}, description: 't'.repeat(2_000), cache_control: fiveMinutes },
  ];
  const system = [{ type: 'text' as const, text: 's'.repeat(2_000), cache_control: fiveMinutes }];
  const asked = {
    model: 'claude-opus-4-8',
    tools,
    system,
    messages: [user(block(2_000, fiveMinutes))],
  };
  const toolTokens = Math.ceil(2_003 * 1.3);
  const systemTokens = Math.ceil(4_003 * 1.3);
  const all = Math.ceil(6_003 * 1.3);

  it.each<[string, Partial<MessagesRequest>, number]>([
    ['nothing', {}, all],
    ['another tool', { tools: [{ ...tools[0], name: 'b' }] }, 0],
    ['another system prompt', { system: 'x' }, toolTokens],
    ['speed', { speed: 'fast' }, toolTokens],
    ['a tool choice', { tool_choice: { type: 'none' } }, systemTokens],
    ['effort', { output_config: { effort: 'low' } }, systemTokens],
    ['the effort that is the default', { output_config: { effort: 'high' } }, all],
    ['thinking', { thinking: { type: 'adaptive' } }, systemTokens],
    ['the thinking that is the default', { thinking: { type: 'disabled' } }, all],
    ['another model', { model: 'claude-opus-4-7' }, 0],
  ])('%s', (_name, change, read) => {
    const { use } = makeCache();
    use(asked);
    expect(use({ ...asked, ...change }).cacheRead).toBe(read);
  });
});

it('a conversation of ten turns with one mark at the top reads the entry of the turn before', () => {
  const { use } = makeCache('claude-sonnet-5-5');
  const messages: RequestMessage[] = [];
  let read = 0;
  let total = 0;
  for (let turn = 0; turn < 10; turn += 1) {
    messages.push(user(block(200)), { role: 'assistant', content: [block(100)] }, user(block(50)));
    const { cacheRead, input, write5m } = use({
      system: 's'.repeat(4_000),
      messages: [...messages],
      cache_control: fiveMinutes,
    });
    if (turn === 0) continue;
    read += cacheRead;
    total += cacheRead + input + write5m;
  }
  expect(read / total).toBeGreaterThan(0.9);
});
