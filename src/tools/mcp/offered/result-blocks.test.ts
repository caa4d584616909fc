import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { outputText } from '../../../parsing/tool-output.js';
import { resultBlocks } from './result-blocks.js';

const resultText = (result: Record<string, unknown>): string => outputText(resultBlocks(result));

describe('resultBlocks', () => {
  it.each([
    [
      'texts',
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [
      'an image',
      [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
      '[file: image/png, 3 bytes]',
    ],
    [
      'a sound',
      [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAAAA==' }],
      '[file: audio/wav, 4 bytes]',
    ],
    [
      'a file',
      [{ type: 'resource', resource: { uri: 'file:///a', text: 'in it' } }],
      '[resource: file:///a]\nin it',
    ],
    [
      'a file of bytes',
      [{ type: 'resource', resource: { uri: 'x:/a', mimeType: 'application/pdf', blob: 'AAAA' } }],
      '[a: application/pdf, 3 bytes]',
    ],
    ['a link', [{ type: 'resource_link', uri: 'x:/a', name: 'a' }], '[resource a: x:/a]'],
    ['what is not known', [{ type: 'video' }, null], '[video]\n[nothing that can be shown]'],
    ['nothing', [], ''],
    ['what is no list', 'text', ''],
  ])('shows %s', (_what, content, shown) => expect(resultText({ content })).toBe(shown));

  it('shows structured content where there is no text', () => {
    const structuredContent = { a: 1 };
    expect(resultText({ content: [], structuredContent })).toBe('{"a":1}');
    const content = [{ type: 'text', text: '{"a": 1}' }];
    expect(resultText({ content, structuredContent })).toBe('{"a": 1}');
  });

  it('never fails', () => {
    const block = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.constantFrom('text', 'image', 'resource') }),
    );
    fc.assert(fc.property(fc.array(block), (content) => void resultText({ content })));
  });
});
