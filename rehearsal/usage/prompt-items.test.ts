import { describe, expect, it } from '@jest/globals';
import { findProfile } from '../models/models.js';
import type { MessagesRequest, RequestBlock } from '../request-types.js';
import { loadTokenizer, cacheCounts, promptItems } from './prompt-items.js';
import { totalOf } from './prompt-cache.js';

const count = (text: string): number => text.length;

function tokens(content: string | RequestBlock[], more: Partial<MessagesRequest> = {}): number {
  const body = {
    model: 'claude-sonnet-4-6',
    max_tokens: 1,
    messages: [{ role: 'user' as const, content }],
    ...more,
  };
  const profile = findProfile(body.model);
  return totalOf(promptItems(body, profile, count), profile);
}

function png(width: number, height: number): RequestBlock {
  const bytes = Buffer.alloc(24);
  bytes.set([0x89, 0x50, 0x4e, 0x47]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  const data = bytes.toString('base64');
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
}

describe('tokens of a prompt', () => {
  it.each<[string, number, number]>([
    ['a string', tokens('12345678'), 8],
    ['blocks as a string', tokens([{ type: 'text', text: '12345678' }]), 8],
    [
      'the factor of newer models, rounded up',
      tokens('12345678', { model: 'claude-opus-4-8' }),
      11,
    ],
    ['the system prompt', tokens('1234', { system: '12345678' }), 12],
    [
      'tools by name, description and schema',
      tokens('1', { tools: [{ name: 'read', description: 'Reads.', input_schema: { a: 1 } }] }),
      1 + 4 + 6 + 7,
    ],
    [
      'no tool that is deferred',
      tokens('1', { tools: [{ name: 'read', input_schema: {}, defer_loading: true }] }),
      1,
    ],
    [
      'no ids and signatures',
      tokens([{ type: 'thinking', thinking: 'hm', signature: 'x'.repeat(100) }]),
      2,
    ],
  ])('count %s', (_name, counted, expected) => {
    expect(counted).toBe(expected);
  });
});

describe('tokens of an image', () => {
  // The tables of `build-with-claude/vision` and `vision-coordinates`: tokens before 4.7, and from 4.7 on.
  it.each([
    [200, 200, 64, 64],
    [750, 100, 108, 108],
    [1_000, 1_000, 1_296, 1_296],
    [1_092, 1_092, 1_521, 1_521],
    [1_075, 1_520, 1_551, 2_145],
    [1_520, 1_075, 1_551, 2_145],
    [1_920, 1_080, 1_560, 2_691],
    [2_000, 1_500, 1_564, 3_888],
    [3_840, 2_160, 1_560, 4_784],
    [8_000, 200, 112, 276],
    [1, 8_000, 56, 92],
  ])('of %i x %i pixels are %i, or %i from 4.7 on', (width, height, before, since) => {
    const standard = ['claude-sonnet-4-6', 'claude-opus-4-6', 'claude-haiku-4-5'];
    for (const model of standard) expect(tokens([png(width, height)], { model })).toBe(before);
    const high = ['claude-opus-4-7', 'claude-sonnet-5', 'claude-haiku-5-5', 'claude-fable-5-2'];
    for (const model of high) expect(tokens([png(width, height)], { model })).toBe(since);
  });

  it('count in the result of a tool, beside text of which a newer model has more', () => {
    const content: RequestBlock[] = [
      { type: 'tool_result', tool_use_id: '1', content: [png(200, 200), png(200, 200)] },
      { type: 'text', text: '0123456789' },
    ];
    expect(tokens(content)).toBe(64 + 64 + 10);
    expect(tokens(content, { model: 'claude-opus-4-8' })).toBe(64 + 64 + 13);
  });

  it('are the most of the model for an image whose header cannot be read', () => {
    const unread: RequestBlock = {
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'AAAA' },
    };
    expect(tokens([unread])).toBe(1_568);
    expect(tokens([unread], { model: 'claude-opus-4-8' })).toBe(4_784);
  });
});

describe('the tokenizer', () => {
  it.each([
    ['Hello, how are you today?', 6, 9],
    ['function add(a, b) { return a + b; }', 10, 18],
    ['今天天气怎么样？', 6, 16],
  ])('counts %s', async (text, least, most) => {
    const countText = await loadTokenizer();
    expect(countText(text)).toBeGreaterThanOrEqual(least);
    expect(countText(text)).toBeLessThanOrEqual(most);
  });

  it.each([
    ['a run of one letter', 'x'.repeat(200_000)],
    ['a run of CJK', '汉字测试文本'.repeat(30_000)],
    ['a run of spaces', ' '.repeat(200_000)],
  ])('is not slowed down by %s', async (_name, text) => {
    const countText = await loadTokenizer();
    const before = process.cpuUsage();
    expect(countText(text)).toBeGreaterThan(1_000);
    // Quadratic time would be minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(10_000);
  });

  it('counts a text once', () => {
    let calls = 0;
    const counted = cacheCounts((text) => {
      calls += 1;
      return text.length;
    });
    expect([counted('a'), counted('bb'), counted('a')]).toEqual([1, 2, 1]);
    expect(calls).toBe(2);
  });
});
