import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { describeAction, signAction, signOutcome } from './no-progress.js';

const long = { text: 'x'.repeat(1_000) };

describe('signAction', () => {
  it.each([
    ['search', { b: 1, a: { d: [1, 2], c: null } }, 'search({"a":{"c":null,"d":[1,2]},"b":1})'],
    ['list', {}, 'list({})'],
    ['list', undefined, 'list(null)'],
  ])('%s %j', (name, input, signature) => {
    expect(signAction(name, input)).toBe(signature);
    expect(describeAction(name, input)).toBe(signature);
  });

  it('distinguishes calls that differ in tool, argument or order of a list', () => {
    const calls: [string, unknown][] = [
      ['a', { x: 1 }],
      ['b', { x: 1 }],
      ['a', { x: '1' }],
      ['a', { x: [1, 2] }],
      ['a', { x: [2, 1] }],
      ['a', long],
      ['a', { text: `${long.text}y` }],
      ['b', long],
    ];
    const signatures = calls.map(([name, input]) => signAction(name, input));
    expect(new Set(signatures).size).toBe(calls.length);
  });

  it('is short also where the arguments are long', () => {
    expect(signAction('write', long)).toMatch(/^write#[0-9a-f]{16}$/);
  });

  it('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const reversed = Object.fromEntries(Object.entries(input).reverse());
        expect(signAction('a', reversed)).toBe(signAction('a', input));
      }),
    );
  });
});

describe('signOutcome', () => {
  it('is equal for equal results only', () => {
    expect(signOutcome('no matches', false)).toBe(signOutcome('no matches', false));
    expect(signOutcome('no matches', false)).not.toBe(signOutcome('no match', false));
    expect(signOutcome('no matches', false)).not.toBe(signOutcome('no matches', true));
  });
});

describe('describeAction', () => {
  it('is cut to 200 characters, and never in the middle of one', () => {
    expect(describeAction('write', long)).toBe(`write({"text":"${'x'.repeat(184)}…`);
    const emoji = describeAction('w', { t: `${'x'.repeat(192)}😀😀` });
    expect(emoji).toBe(`w({"t":"${'x'.repeat(191)}…`);
    const split = describeAction('w', { t: `${'x'.repeat(190)}😀😀` });
    expect(split).toBe(`w({"t":"${'x'.repeat(190)}…`);
  });
});
