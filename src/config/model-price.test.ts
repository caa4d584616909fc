import { expect, it } from '@jest/globals';
import { findPrice, parsePrices } from './variable-forms.js';

it.each([
  ['claude=3/15', [{ model: 'claude', input: 3, output: 15 }]],
  [
    ' a=0.5/1 , b=0/0',
    [
      { model: 'a', input: 0.5, output: 1 },
      { model: 'b', input: 0, output: 0 },
    ],
  ],
  ['claude', undefined],
  ['claude=3', undefined],
  ['claude=3/x', undefined],
  ['claude=3.1.2/1', undefined],
  ['=3/15', undefined],
  ['a=1/2,', undefined],
])('reads %j', (text, prices) => {
  expect(parsePrices(text)).toEqual(prices);
});

it('takes the longest beginning of a name', () => {
  const prices = parsePrices('claude=1/2,claude-opus=15/75,claude-opus-5=5/25') ?? [];
  expect(findPrice(prices, 'claude-opus-4-8')).toEqual({ input: 15, output: 75 });
  expect(findPrice(prices, 'claude-opus-5')).toEqual({ input: 5, output: 25 });
  expect(findPrice(prices, 'claude-haiku')).toEqual({ input: 1, output: 2 });
  expect(findPrice(prices, 'gpt')).toBeUndefined();
});
