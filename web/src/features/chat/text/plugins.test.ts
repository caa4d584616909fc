import { describe, expect, it } from '@jest/globals';
import { dollarFormulas, hasFormula } from './plugins.js';

describe('LaTeX in a text', () => {
  it.each([
    ['$$\\int_0^1 x\\,dx$$', true],
    ['so $x^2$ grows', true],
    ['as \\(a+b\\) and \\[c\\]', true],
    ['it costs $5 and $7', false],
    ['it costs $5', false],
    ['US$100 or $', false],
    ['plain', false],
  ])('%j: %s', (text, expected) => {
    expect(hasFormula(text)).toBe(expected);
  });

  it('has its brackets as dollars, outside of code', () => {
    expect(dollarFormulas('a \\(x\\) `\\(y\\)` b')).toBe('a $x$ `\\(y\\)` b');
    expect(dollarFormulas('\\[\nx\n\\]')).toBe('\n$$\nx\n$$\n');
    expect(dollarFormulas('```\n\\[x\\]\n```')).toBe('```\n\\[x\\]\n```');
  });
});
