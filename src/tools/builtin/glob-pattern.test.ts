import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { expandGlobBraces, GlobPattern } from './glob-pattern.js';

function fits(text: string, path: string): boolean {
  const pattern = new GlobPattern(text);
  let at = pattern.start;
  for (const name of path.split('/')) at = pattern.advance(at, name);
  return pattern.accepts(at);
}

describe('GlobPattern', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'src/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'src/deep/a.ts', true],
    ['src/**', 'src/deep/a.ts', true],
    ['src/**/a.ts', 'src/a.ts', true],
    ['**/deep/**/a.ts', 'src/deep/x/y/a.ts', true],
    ['**/deep/**/a.ts', 'src/a.ts', false],
    ['a**', 'ab', true],
    ['a**', 'a/b', false],
    ['./src//a.ts', 'src/a.ts', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['.*', '.env', true],
    ['*', '.env', true],
    ['[a-c]x', 'bx', true],
    ['[a-c]x', 'dx', false],
    ['[!a-c]x', 'dx', true],
    ['[^a-c]x', 'bx', false],
    ['[]x]', ']', true],
    ['[a-]', '-', true],
    [String.raw`[\]]`, ']', true],
    ['[a', '[a', true],
    [String.raw`\[id\].ts`, '[id].ts', true],
    ['app/(auth)/*.ts', 'app/(auth)/a.ts', true],
    ['{src,test}/*.{ts,js}', 'test/a.js', true],
    ['{src,test}/*.{ts,js}', 'lib/a.js', false],
    ['a{b,c{d,e}}', 'ace', true],
    ['{a}', '{a}', true],
    ['{a,b', '{a,b', true],
    [String.raw`\{a,b}`, '{a,b}', true],
    ['{src/a,test/**}.ts', 'src/a.ts', true],
    ['*b', `${'a'.repeat(100)}b`, true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(fits(pattern, path)).toBe(expected);
  });

  it.each([
    ['+(a*)b', 'it has +(…), an extended pattern: use *, **'],
    ['!(a).ts', 'it begins with !'],
    ['src/!(a).ts', 'it has !(…)'],
    ['@(a|b)', 'it has @(…)'],
    ['(a|b)/c', 'it has (…|…)'],
    ['a{1..9}', 'a range in braces'],
    ['[[:alpha:]]', 'a named class'],
    ['{a,b}'.repeat(6), 'more than 32 patterns'],
    ['{a,b}'.repeat(100), 'more than 32 patterns'],
    ['a'.repeat(501), 'more than 500 characters'],
  ])('refuses %s, and says what to use', (pattern, why) => {
    expect(() => new GlobPattern(pattern)).toThrow(RangeError);
    expect(() => new GlobPattern(pattern)).toThrow(why);
  });

  it('takes what is escaped for itself', () => {
    expect(fits(String.raw`\+(a)\!`, '+(a)!')).toBe(true);
    expect(fits(String.raw`\!a`, '!a')).toBe(true);
  });

  it('agrees with a regular expression', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 8 });
    const part = fc.constantFrom('a', 'b', '*', '?', '[a]', '[!a]');
    const pattern = fc.array(part, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(pattern, name, (parts, value) => {
        fc.pre(parts.join('') !== '**');
        const source = parts.join('').replaceAll('?', '.').replaceAll('*', '.*');
        const expected = new RegExp(`^${source.replaceAll('[!', '[^')}$`).test(value);
        expect(fits(parts.join(''), value)).toBe(expected);
      }),
    );
  });
});

describe('expandGlobBraces', () => {
  it.each([
    ['a', ['a']],
    ['{a,b}c', ['ac', 'bc']],
    ['{a,b}{c,d}', ['ac', 'ad', 'bc', 'bd']],
    ['a{,b}', ['a', 'ab']],
    ['{{a,b},c}', ['a', 'b', 'c']],
    ['{}', ['{}']],
  ])('of %s', (pattern, texts) => {
    expect([...new Set(expandGlobBraces(pattern))].sort()).toEqual(texts);
  });
});
