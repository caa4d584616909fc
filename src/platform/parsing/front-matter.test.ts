import { describe, expect, it } from '@jest/globals';
import { splitFrontMatter } from './front-matter.js';

describe('splitFrontMatter', () => {
  it.each([
    ['none', 'Hello\nthere\n', {}, 'Hello\nthere'],
    ['empty file', '', {}, ''],
    ['empty front matter', '---\n---\nBody', {}, 'Body'],
    ['comments only', '---\n# model: x\n---\nBody', {}, 'Body'],
    ['no body', '---\na: 1\n---', { a: 1 }, ''],
    ['scalars', '---\na: "x y"\nb: true\nc: 3\n---\n\nBody\n', { a: 'x y', b: true, c: 3 }, 'Body'],
    ['inline list', '---\nt: [read, "write"]\n---\nB', { t: ['read', 'write'] }, 'B'],
    ['block list', '---\nt:\n  - read\n  - write\n---\nB', { t: ['read', 'write'] }, 'B'],
    ['CRLF', '---\r\na: 1\r\n---\r\nB\r\n', { a: 1 }, 'B'],
    ['byte order mark', '\uFEFF---\na: 1\n---\nB', { a: 1 }, 'B'],
    ['a later rule is body', '---\na: 1\n---\nB\n\n---\n\nC', { a: 1 }, 'B\n\n---\n\nC'],
    ['not on line 1', '\n---\na: 1\n---\nB', {}, '---\na: 1\n---\nB'],
    ['longer dashes', '----\na: 1\n---\nB', {}, '----\na: 1\n---\nB'],
  ])('%s', (_name, file, fields, body) => {
    expect(splitFrontMatter(file)).toMatchObject({ fields, body, problems: [] });
  });

  const bombed = ['a: &a [x,x,x,x,x,x,x,x,x]']
    .concat(['b', 'c', 'd'].map((key, i) => `${key}: &${key} [${`*${'abc'[i]},`.repeat(9)}]`))
    .join('\n');

  it.each([
    ['bad YAML', '---\nfine: 1\ntools: [read\n---\nBody', 'Body', { line: 4, message: /./ }],
    ['duplicate keys', '---\na: 1\na: 2\n---\nBody', 'Body', { line: 3, message: /unique/ }],
    ['a list', '---\n- a\n---\nBody', 'Body', { line: 2, message: /"key: value" lines/ }],
    ['plain text', '---\nhello\n---\nBody', 'Body', { line: 2, message: /"key: value" lines/ }],
    [
      'no closing line',
      '---\na: 1\nBody',
      '---\na: 1\nBody',
      { line: 1, message: /closing --- is missing/ },
    ],
    ['aliases that explode', `---\n${bombed}\n---\nBody`, 'Body', { line: 1, message: /alias/ }],
  ])('is empty, with a problem, for %s', (_name, file, body, { line, message }) => {
    const result = splitFrontMatter(file);
    expect(result).toMatchObject({ fields: {}, body });
    expect(result.problems).toEqual([{ line, message: expect.stringMatching(message) }]);
  });

  it.each([
    ['no front matter', 'Hello', 1],
    ['blank lines first', '\n\nHello', 3],
    ['front matter', '---\na: 1\n---\n\n  Hello', 5],
    ['CRLF', '---\r\na: 1\r\n---\r\nHello', 4],
    ['nothing below', '---\na: 1\n---\n', 4],
    ['nothing at all', '', 1],
  ])('knows the line of the body: %s', (_name, file, line) => {
    expect(splitFrontMatter(file).bodyLine).toBe(line);
  });

  it('knows the lines of fields in the file', () => {
    const file = ['---', '# about', 'a: 1', 'b:', '  - x', '---', ''].join('\n');
    const { lineOf } = splitFrontMatter(file);
    expect([['a'], ['b'], ['b', 0], []].map(lineOf)).toEqual([3, 4, 5, 1]);
  });
});
