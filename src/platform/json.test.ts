import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { canonicalJson, isLongJson, isPlainObject, isSameJson } from './json.js';

describe('isLongJson', () => {
  it.each<[unknown]>([
    ['a'.repeat(98)],
    [{ ['k'.repeat(90)]: 1 }],
    [[1, null, true, {}, []]],
    [undefined],
  ])('takes what is short enough: %j', (value) => {
    expect(isLongJson(value, 100)).toBe(false);
  });

  it.each<[unknown]>([
    ['a'.repeat(101)],
    [{ ['k'.repeat(101)]: 1 }],
    [{ a: { b: ['a'.repeat(101)] } }],
    [Array.from({ length: 101 }, () => 1)],
    [Array.from({ length: 101 }, () => [])],
  ])('finds what is longer: %j', (value) => {
    expect(isLongJson(value, 100)).toBe(true);
  });

  it('looks no further than that', () => {
    let looked = 0;
    const item = { [Symbol.toStringTag]: 'item' };
    Object.defineProperty(item, 'text', {
      enumerable: true,
      get: () => {
        looked += 1;
        return 'a'.repeat(50);
      },
    });
    expect(
      isLongJson(
        Array.from({ length: 1_000 }, () => item),
        100,
      ),
    ).toBe(true);
    expect(looked).toBeLessThan(4);
  });
});

describe('canonicalJson', () => {
  it('is the same for equal values, whatever the order of their keys', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: 1 })).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(canonicalJson({ a: undefined })).toBe('{}');
  });

  it('keeps the order of lists', () => {
    expect(canonicalJson([2, 1])).toBe('[2,1]');
  });
});

describe('isPlainObject', () => {
  it.each([
    [{}, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    [new Date(), false],
    ['x', false],
  ])('%p: %s', (value, expected) => {
    expect(isPlainObject(value)).toBe(expected);
  });
});

describe('isSameJson', () => {
  it('agrees with canonical JSON, also for what JSON leaves out or changes', () => {
    const leaf = fc.constantFrom(
      0,
      -0,
      Number.NaN,
      null,
      undefined,
      '',
      'a',
      '0',
      true,
      new Date(0),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('value'), { maxKeys: 2 }),
      ),
    }));
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isSameJson(a, b)).toBe(canonicalJson(a) === canonicalJson(b));
        expect(isSameJson(a, structuredClone(a))).toBe(true);
      }),
    );
  });

  it('tells a list from an object, and takes keys in any order', () => {
    expect(isSameJson({ a: [1, { b: 2, c: 3 }], d: 4 }, { d: 4, a: [1, { c: 3, b: 2 }] })).toBe(
      true,
    );
    expect(isSameJson(['a'], { 0: 'a' })).toBe(false);
    expect(isSameJson([undefined, 1], Object.assign([], { 1: 1 }))).toBe(true);
    expect(isSameJson(Object.assign([], { 1: 1 }), [5, 1])).toBe(false);
    expect(isSameJson({ a: 1 }, { b: 1 })).toBe(false);
  });
});
