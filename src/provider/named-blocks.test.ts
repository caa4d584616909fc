import { describe, expect, it } from '@jest/globals';
import { toRequest } from './anthropic/to-request.js';
import type { ModelRequest } from './model-types.js';
import { namedBlocks, partsAt } from './named-blocks.js';

describe('namedBlocks', () => {
  it.each<[string, unknown, string[]]>([
    ['messages.2.content.0.image.source.base64.data: too large', null, ['messages.2.content.0']],
    [
      'messages.4.content.1.tool_result.content.2.image.source: bad; messages.4.content.0: bad',
      null,
      ['messages.4.content.1.content.2', 'messages.4.content.0'],
    ],
    ['messages.10: text', {}, ['messages.10']],
    [
      'At least one image is too large',
      { paths: ['messages.0.content.1', 'messages.0.content.1.content.0'] },
      ['messages.0.content.1', 'messages.0.content.1.content.0'],
    ],
    ['Could not process image', undefined, []],
    ['system.0.text: messages are wrong', null, []],
  ])('are those of %j', (text, details, blocks) => {
    expect(namedBlocks({ text, details })).toEqual(blocks);
  });
});

describe('partsAt', () => {
  const image = { type: 'image' as const, mediaType: 'image/png', base64: 'iVBO' };
  const result = { type: 'tool_result' as const, callId: 't1', output: 'done', isError: false };
  const call = { type: 'tool_use' as const, id: 't1', name: 'read', input: {} };
  const request: ModelRequest = {
    model: 'claude-sonnet-5-5',
    system: '',
    tools: [],
    maxTokens: 100,
    messages: [
      { role: 'user', parts: [{ type: 'text', text: ' ' }, image] },
      { role: 'assistant', parts: [call] },
      { role: 'user', parts: [image, result] },
      { role: 'system', text: 'A note.' },
    ],
  };

  it.each([
    ['messages.0.content.0', [{ part: image }]],
    ['messages.1.content.0', [{ part: call }]],
    ['messages.2.content.0', [{ part: result }]],
    ['messages.2.content.0.content.1', [{ part: result, item: 1 }]],
    ['messages.2.content.1', [{ part: image }]],
    ['messages.2', [{ part: result }, { part: image }]],
    ['messages.3.content.0', []],
    ['messages.9.content.9', []],
  ])('finds %s where it is sent', (path, found) => {
    expect(partsAt(request.messages, path)).toEqual(found);
    const sent = toRequest(request).messages;
    expect(sent.map(({ content }) => content.length)).toEqual([1, 1, 2, 1]);
  });
});
