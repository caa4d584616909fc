import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { isStorable, storableJson, storableText } from './connection.js';

describe('isStorable', () => {
  it.each([
    ['', true],
    ['plain', true],
    ['a pair 😀', true],
    ['a\nline', true],
    ['a\0b', false],
    ['\ud800', false],
    ['\udc00x', false],
  ])('%j', (text, expected) => expect(isStorable(text)).toBe(expected));
});

describe('storableText', () => {
  it('leaves what can be stored as it is, and makes the rest so', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\0', '\ud800'),
        (text, bad) => {
          const made = storableText(`${text}${bad}`);
          expect(isStorable(made)).toBe(true);
          if (isStorable(text) && bad === '') expect(made).toBe(text);
        },
      ),
    );
  });
});

describe('storableJson', () => {
  it('goes into lists, values and keys', () => {
    const given: unknown = JSON.parse(
      '{"a\\u0000":["\\ud800x",1,null,{"b":"\\u0000"}],"__proto__":{"c":1}}',
    );
    const made = storableJson(given);
    expect(JSON.stringify(made)).toBe('{"a�":["�x",1,null,{"b":"�"}],"__proto__":{"c":1}}');
  });
});
