import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { outputText } from '../../platform/parsing/tool-output.js';
import { parseJson } from '../../platform/exact-json.js';
import { resultBlocks } from './call-tool.js';
import { toolName } from './tool-names.js';

const text = (said: string) => ({ type: 'text', text: said });
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

  const exact = parseJson('{"id":2512292042121000001}');
  it.each<[string, unknown[], unknown, string]>([
    ['no content', [], { a: 1 }, '{"a":1}'],
    ['a text about it', [text('One row.')], { rows: ['a'] }, 'One row.\n{"rows":["a"]}'],
    [
      'its number as a program rounds it',
      [text('{"id":2512292042121000000}')],
      exact,
      '{"id":2512292042121000000}\n{"id":2512292042121000001}',
    ],
    ['a number that is in a text', [text('10 rows')], { count: 1 }, '10 rows\n{"count":1}'],
  ])('shows structured content beside %s', (_what, content, structuredContent, shown) =>
    expect(resultText({ content, structuredContent })).toBe(shown),
  );

  const image = { type: 'image', mimeType: 'image/png', data: 'AAAA' };
  it.each<[string, unknown[], unknown, string]>([
    ['as JSON', [text('{"a": 1}')], { a: 1 }, '{"a": 1}'],
    [
      'as JSON with its digits',
      [text('{"id": 2512292042121000001}')],
      exact,
      '{"id": 2512292042121000001}',
    ],
    ['as a text', [text('in it')], { content: 'in it' }, 'in it'],
    ['as a picture', [image], { content: [image] }, '[file: image/png, 3 bytes]'],
  ])(
    'shows structured content once that the content has %s',
    (_how, content, structuredContent, shown) =>
      expect(resultText({ content, structuredContent })).toBe(shown),
  );

  it('never fails', () => {
    const block = fc.oneof(
      fc.anything(),
      fc.record({ type: fc.constantFrom('text', 'image', 'resource') }),
    );
    fc.assert(fc.property(fc.array(block), (content) => void resultText({ content })));
  });
});

const server = fc.stringMatching(/^[a-zA-Z0-9-]{1,32}$/);

describe('toolName', () => {
  it.each([
    ['github', 'create_issue', 'mcp__github__create_issue'],
    ['a', '_b', 'mcp__a___b'],
  ])('of %s and %s', (server, tool, name) => expect(toolName(server, tool)).toBe(name));

  it('ends with a hash where it is not the name that the server gave', () => {
    expect(toolName('github', 'issues/create')).toMatch(/^mcp__github__issues_create_[0-9a-f]{8}$/);
  });

  it('is a name that models take, whatever the server calls its tool', () => {
    fc.assert(
      fc.property(server, fc.string({ minLength: 1, unit: 'grapheme' }), (name, tool) => {
        expect(toolName(name, tool)).toMatch(/^mcp__[a-zA-Z0-9_-]{1,59}$/);
      }),
    );
  });

  it('keeps two tools apart', () => {
    const tools = ['a b', 'a_b', 'a/b', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    expect(new Set(tools.map((tool) => toolName('s', tool))).size).toBe(tools.length);
  });
});
