import { describe, expect, it } from '@jest/globals';
import { askedLine, oneLine } from './screen.js';

describe('oneLine', () => {
  it('has no control characters, no line breaks, and an end', () => {
    expect(oneLine('a\u001b[2J\r\n b\tc', 80)).toBe('a b c');
    expect(oneLine('abcdef', 4)).toBe('abc…');
  });
});

describe('askedLine', () => {
  it('is all of a call that fits', () => {
    const call = `bash ${'x'.repeat(1_995)}`;
    expect(askedLine(call)).toBe(call);
  });

  it('shows the end of a long one, and says how much it does not show', () => {
    const asked = askedLine(`bash ${'true; '.repeat(1_000)}rm -rf /important`);
    expect(asked).toMatch(/^bash true; /);
    expect(asked).toMatch(/ … 4022 characters are not shown … .*rm -rf \/important$/);
  });
});
