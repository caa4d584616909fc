import { describe, expect, it } from '@jest/globals';
import { parseOutput } from './parse-output.js';

const schema = { type: 'object', properties: { a: { type: 'integer' } } };

describe('parseOutput', () => {
  it('takes a schema, with one repair where none are named', () => {
    expect(parseOutput({ schema })).toEqual({ output: { schema, repairs: 1 } });
    expect(parseOutput({ schema, repairs: 0 })).toEqual({ output: { schema, repairs: 0 } });
    const old = { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' };
    expect(parseOutput({ schema: old })).toEqual({ output: { schema: old, repairs: 1 } });
  });

  it.each([
    ['nothing', null, ''],
    ['a schema alone', schema, ''],
    ['another field', { schema, strict: true }, ''],
    ['repairs that are none', { schema, repairs: 1.5 }, '/repairs'],
    ['too many repairs', { schema, repairs: 6 }, '/repairs'],
    ['no schema', {}, '/schema'],
    ['a list', { schema: [] }, '/schema'],
    ['a schema of a list', { schema: { type: 'array' } }, '/schema/type'],
    ['a keyword of another type', { schema: { ...schema, required: 'a' } }, '/schema/required'],
    [
      'a fault far below',
      { schema: { type: 'object', properties: { a: { minimum: 'x' } } } },
      '/schema/properties/a/minimum',
    ],
    ['a reference outside', { schema: { ...schema, $ref: 'https://example.com' } }, '/schema'],
    ['a schema for promises', { schema: { ...schema, $async: true } }, '/schema/$async'],
    ['a long one', { schema: { ...schema, title: 'x'.repeat(32_768) } }, '/schema'],
  ])('refuses %s, by its pointer', (_what, value, pointer) => {
    expect(parseOutput(value)).toEqual({
      fault: expect.stringMatching(/^an object of schema, .*/),
      pointer,
    });
  });
});
