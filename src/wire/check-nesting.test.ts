import { describe, expect, it } from '@jest/globals';
import { checkNesting, findExcess } from './check-nesting.js';

const lists = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const keys = (count: number): unknown =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
const limits = { levels: 100, keys: 10, values: 50 };

describe('findExcess', () => {
  it.each<[number, unknown, 'levels' | undefined]>([
    [0, undefined, undefined],
    [0, null, undefined],
    [0, 'text', undefined],
    [0, {}, 'levels'],
    [1, {}, undefined],
    [1, { a: 1, b: 'x', c: null }, undefined],
    [1, { a: 1, b: {} }, 'levels'],
    [2, [{ a: [] }], 'levels'],
    [3, [{ a: [] }], undefined],
  ])('of %i levels', (levels, value, expected) => {
    expect(findExcess(value, { ...limits, levels })).toBe(expected);
  });

  it.each<[string, unknown, 'levels' | 'keys' | 'values' | undefined]>([
    ['lists of some levels', lists(50), undefined],
    ['lists of many levels', { deep: lists(200_000) }, 'values'],
    ['as many keys as may be', keys(10), undefined],
    ['one key more', keys(11), 'keys'],
    ['one key more, inside', { opts: [keys(11)] }, 'keys'],
    ['as many items as may be', Array.from({ length: 50 }, () => 1), undefined],
    ['one item more', Array.from({ length: 51 }, () => 1), 'values'],
    ['values of many objects', Array.from({ length: 6 }, () => keys(9)), 'values'],
  ])('of %s', (_what, value, expected) => {
    expect(findExcess(value, limits)).toBe(expected);
  });
});

describe('checkNesting', () => {
  const check = checkNesting((url) => url === '/conversation');
  const told = (body: unknown, url = '/other'): unknown => {
    let error: unknown;
    check({ body, url }, undefined, (found) => {
      error = found;
    });
    return error;
  };

  it.each<[unknown, string, number]>([
    [lists(101), 'nested too deep: at most 100 levels', 100],
    [{ opts: keys(1_001) }, 'too many keys: at most 1000', 1_000],
    [
      { tools: Array.from({ length: 10_001 }, () => 'a') },
      'too many values: at most 10000',
      10_000,
    ],
  ])('says which limit it is', (body, message, limit) => {
    expect(told(body)).toMatchObject({
      status: 400,
      type: 'INVALID_REQUEST',
      message: expect.stringContaining(message),
      details: { limit },
    });
  });

  it('takes more values of a conversation, and no deeper ones', () => {
    const body = { messages: Array.from({ length: 10_001 }, () => 'a') };
    expect([told(body), told(body, '/conversation')]).toEqual([expect.anything(), undefined]);
    expect(told(lists(101), '/conversation')).toMatchObject({ details: { limit: 100 } });
  });

  it('lets the rest pass', () => {
    for (const body of [undefined, {}, lists(100), { opts: keys(1_000) }]) {
      expect(told(body)).toBeUndefined();
    }
  });
});
