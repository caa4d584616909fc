import { expect, it } from '@jest/globals';
import { wellFormed } from './well-formed.js';

it('replaces half surrogate pairs wherever they are', () => {
  const half = '\ud83d';
  expect(wellFormed(`a${half}`)).toBe('a\ufffd');
  expect(wellFormed({ [half]: [half, 1, null, { deep: `${half}b` }] })).toEqual({
    '\ufffd': ['\ufffd', 1, null, { deep: '\ufffdb' }],
  });
});

it('returns a value without any as it is', () => {
  const whole = { text: 'A 🙂', list: [true, 2, null] };
  expect(wellFormed(whole)).toBe(whole);
});
