import { describe, expect, it } from '@jest/globals';
import { JsonMeter, type JsonExcess, type JsonLimits } from './json-text.js';

const limits: JsonLimits = { levels: 64, keys: 10, values: 50 };
const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const object = (count: number): string =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])));
const list = (count: number, item = '1'): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`;

const measure = (text: string, within = limits): JsonExcess | undefined =>
  new JsonMeter(within).add(Buffer.from(text));

describe('JsonMeter', () => {
  it.each<[number, string, JsonExcess | undefined]>([
    [0, '"text"', undefined],
    [0, '{}', 'levels'],
    [1, '{}', undefined],
    [1, '{"a": 1, "b": "[[[{{{", "c": null}', undefined],
    [1, '{"a": {}}', 'levels'],
    [1, '[] [] []', undefined],
    [2, '[{"a": []}]', 'levels'],
    [3, '[{"a": []}]', undefined],
  ])('counts levels: %i of %s', (levels, text, expected) => {
    expect(measure(text, { ...limits, levels })).toBe(expected);
  });

  it.each<[string, string, JsonExcess | undefined]>([
    ['as many levels as may be', lists(50), undefined],
    ['levels without an end', '['.repeat(1_000), 'values'],
    ['as many keys as may be', object(10), undefined],
    ['one key more', object(11), 'keys'],
    ['one key more, inside', `{"opts": [${object(11)}]}`, 'keys'],
    ['one key more, after an object inside', `{"a":{"x":1},${object(10).slice(1)}`, 'keys'],
    ['as many items as may be', list(50), undefined],
    ['one item more', list(51), 'values'],
    ['empty items', list(51, '{}'), 'values'],
    ['values of many objects', list(6, object(9)), 'values'],
    ['brackets, commas and escaped quotes in a text', `["${'[{,\\"\\\\'.repeat(500)}"]`, undefined],
    ['a text after one that ends in backslashes', `["\\\\","${'['.repeat(100)}"]`, undefined],
    ['spaces in an empty list', `[${' \n\t\r'.repeat(100)}]`, undefined],
    ['what is closed and was not opened', `]]]]${lists(40)}`, undefined],
  ])('of %s', (_what, text, expected) => {
    expect(measure(text)).toBe(expected);
  });

  it.each([lists(70), object(11), list(51, '"\\"é["'), list(50, '"\\"é["')])(
    'counts the same in pieces of any length: %s',
    (text) => {
      const bytes = Buffer.from(text);
      for (const size of [1, 2, 3, 7]) {
        const meter = new JsonMeter({ ...limits, values: 50 });
        let found: JsonExcess | undefined;
        for (let at = 0; at < bytes.length && found === undefined; at += size) {
          found = meter.add(bytes.subarray(at, at + size));
        }
        expect(found).toBe(measure(text));
      }
    },
  );
});
