import { describe, expect, it } from '@jest/globals';
import { estimateInputTokens } from './estimate-usage.js';
import type { MessagesRequest, RequestBlock } from './request-types.js';

const request = (content: string | RequestBlock[], more: Partial<MessagesRequest> = {}) => ({
  model: 'rehearsal',
  max_tokens: 1,
  messages: [{ role: 'user' as const, content }],
  ...more,
});
const image = (data: string): RequestBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data },
});

describe('estimateInputTokens', () => {
  it.each<[string, MessagesRequest, number]>([
    ['a string', request('12345678'), 2],
    ['a rounded part', request('123456789'), 3],
    ['blocks as a string', request([{ type: 'text', text: '12345678' }]), 2],
    ['the system prompt', request('1234', { system: '12345678' }), 3],
    [
      'tools by name, description and schema',
      request('1234', {
        tools: [{ name: 'read', description: 'Reads a.', input_schema: { required: ['path'] } }],
      }),
      5,
    ],
    ['an image, however large', request([image('aGk='.repeat(9))]), 1500],
  ])('counts %s', (_name, body, expected) => {
    expect(estimateInputTokens(body)).toBe(expected);
  });
});
