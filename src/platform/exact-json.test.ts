import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { Allow, parse } from 'partial-json';
import {
  exactBeginning,
  isDeepJson,
  parseJson,
  plainNumbers,
  printExact,
  printJson,
} from './exact-json.js';

describe('parseJson and printJson', () => {
  it.each([
    '2512292042121000001',
    '-9007199254740993',
    '1e400',
    '1E-7',
    '1e+2',
    '-0',
    '-0.0',
    '1.0',
    '0.10',
    '0.1000000000000000055511151231257827',
    '123456789.123456789123456789',
    '1'.repeat(400),
    '17',
    '0.5',
    '1e21',
  ])('keep %s as it came, wherever it stands', (digits) => {
    for (const text of [
      digits,
      `{"id":${digits}}`,
      `[${digits},"${digits}",{"a":[${digits}]}]`,
      `{"${digits}":{"b":${digits},"c":null}}`,
      `{"text":"\\"id\\":${digits}, \\\\","n":${digits}}`,
    ]) {
      expect(printJson(parseJson(text))).toBe(text);
    }
  });

  it('take whitespace wherever JSON has it', () => {
    const text = ' { "a" : [ 1.0 ,\n\t2512292042121000001 ] , "b":\r\n -0 } ';
    expect(printJson(parseJson(text))).toBe('{"a":[1.0,2512292042121000001],"b":-0}');
  });

  it.each([
    '01',
    '[1.]',
    '{"a":.5}',
    '[1e]',
    '[--1]',
    '[1.0.0]',
    '[+1]',
    '{1.0:1}',
    '"1.0',
    '[2512292042121000001',
    '[1.0 2.0]',
    '',
  ])('refuse %j as JSON.parse does', (text) => expect(() => parseJson(text)).toThrow(SyntaxError));

  it('are JSON.parse and JSON.stringify for all that JavaScript prints', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: unknown = JSON.parse(text);
        expect(plainNumbers(parseJson(text))).toEqual(value);
        expect(JSON.parse(printJson(parseJson(text)))).toEqual(value);
      }),
    );
  });

  it('print texts as they are, whatever they imitate', () => {
    const forged = '{"\uFDD0":"12"}';
    const value = { text: forged, [forged]: [JSON.stringify({ a: forged })] };
    expect(JSON.parse(printJson(value))).toEqual(value);
    expect(printExact('{"a":{"\uFDD0":"1; drop"}}')).toBe('{"a":{"\uFDD0":"1; drop"}}');
  });

  it('read long texts in time that grows with their length alone', () => {
    const text = JSON.stringify({ n: 1, quotes: '\\"'.repeat(1_000_000), plain: 'x'.repeat(4e6) });
    const exact = text.replace('"n":1', '"n":1.0');
    expect(printJson(parseJson(exact))).toBe(exact);
    expect(parseJson(`${' '.repeat(1e6)}1`)).toBe(1);
  });
});

describe('JSON of thousands of levels', () => {
  it.each(['[', '{"a":', '[1.0,{"a":', '[', '{"\\"":'])('is refused: %s', (open) => {
    expect(() => parseJson(open.repeat(100_000))).toThrow('more than 500 levels');
    expect(isDeepJson(open.repeat(100_000))).toBe(true);
  });

  it('is no JSON of many parts, nor of texts that look like it', () => {
    const wide = [Array.from({ length: 10_000 }, () => [{ a: '[[{' }]), '['.repeat(10_000), '\\"['];
    const text = JSON.stringify(wide);
    expect(isDeepJson(text)).toBe(false);
    expect(parseJson(text)).toEqual(wide);
  });
});

describe('exactBeginning', () => {
  it.each([
    ['{"id":2512292042121000001,"n":17', '{"id":2512292042121000001}'],
    ['{"id":2512292042121000001', '{}'],
    ['{"a":[1.0],"text":"2512292042121000001', '{"a":[1.0],"text":"2512292042121000001"}'],
  ])('of %s is %s', (text, shown) => {
    const begun: unknown = parse(exactBeginning(text), Allow.OBJ | Allow.ARR | Allow.STR);
    expect(printJson(begun)).toBe(shown);
  });
});

describe('plainNumbers', () => {
  it('gives the nearest number for each exact one, and all else as it is', () => {
    const value = parseJson('{"id":9007199254740993,"half":[1.50,-0],"far":1e400,"text":"1.0"}');
    expect(plainNumbers(value)).toEqual({
      id: 9007199254740992,
      half: [1.5, -0],
      far: Number.MAX_VALUE,
      text: '1.0',
    });
    const plain = { a: [1, { b: 'c' }] };
    expect(plainNumbers(plain)).toBe(plain);
  });
});
