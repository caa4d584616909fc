import { describe, expect, it } from '@jest/globals';
import { distinctSources, markOf, withMarks } from './cite-text.js';

describe('marks of citations', () => {
  it.each([
    [
      'One. Two.',
      [
        { at: 4, number: 1 },
        { at: 9, number: 2 },
      ],
      'One.[1](#source-1) Two.[2](#source-2)',
    ],
    ['One.\n\nTwo.', [{ at: 6, number: 1 }], 'One.[1](#source-1)\n\nTwo.'],
    [
      'One.',
      [
        { at: 4, number: 1 },
        { at: 4, number: 2 },
      ],
      'One.[1](#source-1)[2](#source-2)',
    ],
    ['```\na\n```', [{ at: 5, number: 1 }], '```\na\n```'],
    ['is `a b` so', [{ at: 5, number: 1 }], 'is `a b` so'],
    ['None', [], 'None'],
  ])('stand behind what they are about: %j', (text, marks, expected) => {
    expect(withMarks(text, marks)).toBe(expected);
  });

  it('are links of their own', () => {
    expect([markOf('#source-3'), markOf('#source-x'), markOf('#other'), markOf(undefined)]).toEqual(
      [3, undefined, undefined, undefined],
    );
  });

  it('count each source once', () => {
    const [a, b] = [
      { type: 'document', title: 'A', citedText: 'x' },
      { type: 'document', title: 'A', citedText: 'y' },
    ];
    expect(distinctSources([a, b, { ...a }])).toEqual([a, b]);
  });
});
