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
    expect(splitFrontMatter(file)).toEqual({ fields, body, problems: [] });
  });

  const bombed = ['a: &a [x,x,x,x,x,x,x,x,x]']
    .concat(['b', 'c', 'd'].map((key, i) => `${key}: &${key} [${`*${'abc'[i]},`.repeat(9)}]`))
    .join('\n');

  it.each([
    ['bad YAML', '---\nfine: 1\ntools: [read\n---\nBody', /line 4/, 'Body'],
    ['duplicate keys', '---\na: 1\na: 2\n---\nBody', /unique at line 3/, 'Body'],
    ['a list', '---\n- a\n---\nBody', /"key: value" lines/, 'Body'],
    ['plain text', '---\nhello\n---\nBody', /"key: value" lines/, 'Body'],
    ['no closing line', '---\na: 1\nBody', /closing --- line is missing/, '---\na: 1\nBody'],
    ['aliases that explode', `---\n${bombed}\n---\nBody`, /alias/, 'Body'],
  ])('is empty, with a problem, for %s', (_name, file, problem, body) => {
    const result = splitFrontMatter(file);
    expect(result).toMatchObject({ fields: {}, body });
    expect(result.problems).toEqual([expect.stringMatching(problem)]);
  });
});
