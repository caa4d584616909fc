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
    ['an image by its size', tokens([png(750, 100)]), 100],
    ['a large image', tokens([png(8_000, 8_000)]), 1_600],
    [
      'no ids and signatures',
      tokens([{ type: 'thinking', thinking: 'hm', signature: 'x'.repeat(100) }]),
      2,
    ],
  ])('count %s', (_name, counted, expected) => {
    expect(counted).toBe(expected);
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
    const startedAt = performance.now();
    expect(countText(text)).toBeGreaterThan(1_000);
    // Quadratic time would be minutes.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
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
