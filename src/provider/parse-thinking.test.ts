import { expect, it } from '@jest/globals';
import { parseThinking } from './parse-thinking.js';

it.each([
  [true, true],
  [false, false],
  [{}, {}],
  [{ effort: 'low' }, { effort: 'low' }],
  [
    { effort: 'max', display: 'omitted' },
    { effort: 'max', display: 'omitted' },
  ],
])('takes %j', (value, expected) => {
  expect(parseThinking(value)).toEqual(expected);
});

it.each(['yes', 1, null, [], { effort: 'huge' }, { display: 'updates' }, { budget: 5 }])(
  'does not take %j',
  (value) => {
    expect(parseThinking(value)).toBeUndefined();
  },
);
