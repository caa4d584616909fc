import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { alignCalls } from './compare-turns.js';
import type { ComparedCallDto } from './replay.dto.js';

/** Calls of a text: `r1` is a call of r with the input 1. */
const calls = (text: string): ComparedCallDto[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, index) => ({
      callId: `${index}`,
      step: index + 1,
      name: word.slice(0, 1),
      input: { n: Number(word.slice(1)) },
      status: 'success',
    }));
const word = (one: ComparedCallDto | undefined): string =>
  one === undefined ? '-' : one.name + JSON.stringify(one.input['n']);
const align = (left: string, right: string): string[] =>
  alignCalls(calls(left), calls(right)).map((pair) =>
    [pair.kind, word(pair.left), word(pair.right)].join(' '),
  );

describe('alignCalls', () => {
  it.each([
    ['nothing beside nothing', '', '', []],
    ['the same calls', 'r1 w1', 'r1 w1', ['same r1 r1', 'same w1 w1']],
    ['another input', 'r1 w1', 'r2 w1', ['changed r1 r2', 'same w1 w1']],
    ['a call more', 'r1 w1', 'r1 g1 w1', ['same r1 r1', 'onlyRight - g1', 'same w1 w1']],
    ['a call less', 'r1 g1 w1', 'r1 w1', ['same r1 r1', 'onlyLeft g1 -', 'same w1 w1']],
    ['other tools', 'r1', 'g1', ['onlyLeft r1 -', 'onlyRight - g1']],
    [
      'another order, as far as it goes',
      'r1 w1 g1',
      'g1 r1 w1',
      ['onlyRight - g1', 'same r1 r1', 'same w1 w1', 'onlyLeft g1 -'],
    ],
    ['the same before the changed', 'r1 r2', 'r2', ['onlyLeft r1 -', 'same r2 r2']],
  ])('shows %s', (_name, left, right, expected) => {
    expect(align(left, right)).toEqual(expected);
  });

  const anyCalls = fc
    .array(fc.constantFrom('r1', 'r2', 'w1', 'g1'), { maxLength: 12 })
    .map((words) => words.join(' '));

  it('has every call of both once, in their order, and says what it says', () => {
    fc.assert(
      fc.property(anyCalls, anyCalls, (left, right) => {
        const pairs = alignCalls(calls(left), calls(right));
        expect(pairs.flatMap((pair) => pair.left ?? [])).toEqual(calls(left));
        expect(pairs.flatMap((pair) => pair.right ?? [])).toEqual(calls(right));
        for (const pair of pairs) {
          const [one, other] = [word(pair.left), word(pair.right)];
          const isSame = one === other;
          const kind = one === '-' ? 'onlyRight' : other === '-' ? 'onlyLeft' : undefined;
          expect(pair.kind).toBe(kind ?? (isSame ? 'same' : 'changed'));
        }
      }),
    );
  });

  it('of turns that did the same shows nothing else', () => {
    fc.assert(
      fc.property(anyCalls, (text) => {
        expect(align(text, text).every((pair) => pair.startsWith('same'))).toBe(true);
      }),
    );
  });
});
