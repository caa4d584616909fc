import { describe, expect, it } from '@jest/globals';
import { outputBlocks, outputText } from './tool-output.js';

const data = Buffer.from('bytes').toString('base64');
const url = `data:image/png;base64,${data}`;
const bytes = Buffer.from('bytes');
const png = { type: 'file', bytes, mimeType: 'image/png' };

describe('outputBlocks', () => {
  it.each<[string, unknown, object[]]>([
    ['MCP', { content: [{ type: 'image', data, mimeType: 'image/png' }] }, [png]],
    [
      'a resource of MCP',
      [{ type: 'resource', resource: { uri: 'file:///x/a.png', blob: data } }],
      [{ type: 'file', bytes, name: 'a.png' }],
    ],
    [
      'the AI SDK',
      { type: 'content', value: [{ type: 'media', mediaType: 'image/png', data }] },
      [png],
    ],
    [
      'the AI SDK, by its newer names',
      [
        { type: 'image-data', mediaType: 'image/png', data },
        { type: 'file-data', mediaType: 'application/pdf', data, filename: 'a.pdf' },
      ],
      [png, { type: 'file', bytes, mimeType: 'application/pdf', name: 'a.pdf' }],
    ],
    [
      'Responses',
      [
        { type: 'input_text', text: 'see' },
        { type: 'input_image', image_url: url },
        { type: 'input_file', filename: 'a.txt', file_data: data },
      ],
      [{ type: 'text', text: 'see' }, png, { type: 'file', bytes, name: 'a.txt' }],
    ],
    ['Chat Completions', [{ type: 'image_url', image_url: { url } }], [png]],
    [
      'the Messages API',
      [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }],
      [png],
    ],
    ['a data: URL', url, [png]],
    [
      'fields beside the blocks',
      { content: [{ type: 'image', data, mimeType: 'image/png' }], count: 3 },
      [png, { type: 'text', text: '{"count":3}' }],
    ],
  ])('reads %s', (_who, output, blocks) => {
    expect(outputBlocks(output)).toEqual(blocks);
  });

  it('names the address of what it does not fetch', () => {
    const [block] = outputBlocks([{ type: 'image-url', url: 'https://example.com/a.png' }]) ?? [];
    expect(block).toMatchObject({ type: 'text', text: expect.stringContaining('not fetched') });
  });

  it.each<[string, unknown]>([
    ['text', 'data: none'],
    ['an object', { type: 'image', width: 3 }],
    ['a list of other things', [{ type: 'image', data, mimeType: 'image/png' }, 3]],
    ['an empty list', []],
    ['nothing', null],
  ])('leaves %s to be JSON', (_what, output) => expect(outputBlocks(output)).toBeUndefined());

  it('has the size of each file in its text', () => {
    expect(
      outputText([
        { type: 'text', text: 'see' },
        { type: 'file', bytes, name: 'a.png' },
      ]),
    ).toBe('see\n[a.png: unknown type, 5 bytes]');
  });
});
