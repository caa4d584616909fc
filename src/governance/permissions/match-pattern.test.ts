import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { matchText, onlyFit, pathMatcher, patternOf } from './match-pattern.js';

describe('matchText', () => {
  it.each([
    ['git status*', 'git status', true],
    ['git status*', 'git status --short', true],
    ['git status*', 'git stash', false],
    ['git status', 'git status --short', false],
    ['*', '', true],
    ['*', 'any\nthing', true],
    ['*secret*', 'a secret here', true],
    ['a*b*c', 'a b b c', true],
    ['a*b*c', 'a c b', false],
    ['a**c', 'abc', true],
    ['Git*', 'git', false],
    ['what?', 'whats', false],
    ['what?', 'what?', true],
    [String.raw`a\*`, 'a*', true],
    [String.raw`a\*`, 'ab', false],
    [String.raw`a\\`, 'a\\', true],
    ['a\\', 'a\\', true],
    ['', '', true],
    ['', 'a', false],
  ])('%j and %j: %s', (pattern, text, fits) => {
    expect(matchText(pattern, text)).toBe(fits);
  });

  it('takes time by the lengths, not by the number of stars', () => {
    const pattern = `${'a*'.repeat(250)}b`;
    expect(matchText(pattern, 'a'.repeat(20_000))).toBe(false);
  });

  it.each([
    ['a piece that almost fits at every position', `*${'a'.repeat(490)}b*`],
    ['one that differs where it begins', `*b${'a'.repeat(490)}*`],
    ['many pieces', `${'*a'.repeat(240)}*b`],
  ])('reads a long text once: %s', (_what, pattern) => {
    const text = 'a'.repeat(250_000);
    const before = process.cpuUsage();
    for (let rules = 0; rules < 20; rules += 1) expect(matchText(pattern, text)).toBe(false);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(2_000);
  });

  it('agrees with a regular expression', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, text, (given, value) => {
        const expected = new RegExp(`^${given.replaceAll('*', '.*')}$`).test(value);
        expect(matchText(given, value)).toBe(expected);
      }),
    );
  });
});

describe('pathMatcher', () => {
  it.each([
    ['docs/**', '/p/docs/a.md', true],
    ['docs/**', '/p/docs/a/b/c.md', true],
    ['docs/**', '/p/docs', true],
    ['docs/**', '/p/docs2/a.md', false],
    ['docs/**', '/p/a/docs/a.md', false],
    ['./docs/*', '/p/docs/a.md', true],
    ['docs/*', '/p/docs/a/b.md', false],
    ['docs/*', '/p/docs/.hidden', true],
    ['**/.env', '/p/.env', true],
    ['**/.env', '/p/a/b/.env', true],
    ['.env', '/p/a/.env', false],
    ['**', '/p', true],
    ['**', '/p/a/b', true],
    ['.', '/p', true],
    ['*', '/p', false],
    ['src/**/*.ts', '/p/src/a.ts', true],
    ['src/**/*.ts', '/p/src/a/b/c.ts', true],
    ['src/**/*.ts', '/p/src/a.js', false],
    ['**/a/**/b', '/p/x/a/y/a/b', true],
    ['?.md', '/p/a.md', true],
    ['?.md', '/p/ab.md', false],
    ['[id]/{a}.md', '/p/[id]/{a}.md', true],
    ['[id]', '/p/i', false],
    [String.raw`\*.md`, '/p/*.md', true],
    [String.raw`\*.md`, '/p/a.md', false],
    ['a**', '/p/ab/c', false],
    ['/etc/**', '/etc/passwd', true],
    ['etc/**', '/etc/passwd', false],
    ['**', '/etc/passwd', false],
    ['**', '/project/a', false],
    ['/p/docs/**', '/p/docs/a', true],
    ['/**', '/etc/passwd', true],
  ])('%s and %s: %s', (pattern, path, fits) => {
    expect(pathMatcher(pattern, ['/p'])(path)).toBe(fits);
  });

  it('agrees with a regular expression', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
    const pattern = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(pattern, name, (given, value) => {
        fc.pre(given !== '**' && given !== '' && value !== '');
        const expected = new RegExp(`^${given.replaceAll('?', '.').replaceAll('*', '.*')}$`);
        expect(pathMatcher(given, ['/p'])(`/p/${value}`)).toBe(expected.test(value));
      }),
    );
  });

  it('starts from any of the roots, and from /', () => {
    expect(pathMatcher('docs/*', ['/link', '/real'])('/real/docs/a')).toBe(true);
    expect(pathMatcher('etc/*', ['/'])('/etc/a')).toBe(true);
    expect(pathMatcher('**', [])('/etc/a')).toBe(false);
  });
});

describe('patternOf', () => {
  it('makes the pattern that fits its text and no other', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, other) => {
        expect(matchText(patternOf(text), text)).toBe(true);
        expect(matchText(patternOf(text), other)).toBe(other === text);
        expect(onlyFit(patternOf(text))).toBe(text);
      }),
    );
    expect(onlyFit('a*')).toBeUndefined();
  });
});
