import { describe, expect, it } from '@jest/globals';
import { compileInputCheck, compileObjectCheck } from './check-input.js';
import type { JsonObject } from '../json.js';

const check = compileInputCheck({
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    count: { type: 'integer', minimum: 1 },
    kind: { enum: ['a', 'b'] },
    nested: { type: 'array', items: { type: 'object', required: ['id'] } },
  },
  required: ['path'],
  additionalProperties: false,
});

describe('compileInputCheck', () => {
  it('passes an input that fits, unchanged', () => {
    const input = { path: 'a.txt', count: 2, kind: 'a', nested: [{ id: 1 }] };
    expect(check(input)).toEqual({ ok: true, input });
  });

  it.each<[string, unknown, string]>([
    ['no object', 'text', 'the input must be object'],
    ['nothing', undefined, 'the input must be object'],
    ['an array', [], 'the input must be object'],
    ['a missing field', {}, 'path is required'],
    ['a wrong type', { path: 1 }, 'path must be string'],
    ['a number as text', { path: 'a', count: '2' }, 'count must be integer'],
    ['too small a number', { path: 'a', count: 0 }, 'count must be >= 1'],
    ['a value out of a list', { path: 'a', kind: 'c' }, 'kind must be one of ["a","b"]'],
    ['a nested field', { path: 'a', nested: [{ id: 1 }, {}] }, 'nested.1.id is required'],
    [
      'a field that is not known',
      { path: 'a', file: 'b' },
      'file is not allowed (known: path, count, kind, nested)',
    ],
    [
      'many faults',
      { path: '', count: 0, kind: 'c', nested: 1, more: 1 },
      'more is not allowed (known: path, count, kind, nested); path must NOT have fewer than 1 characters; count must be >= 1; and 2 more',
    ],
  ])('refuses %s', (_name, input, message) => {
    expect(check(input)).toEqual({ ok: false, message });
  });

  it.each<[string, JsonObject]>([
    ['itself', { type: 'object', properties: { a: { type: 'integer' }, child: { $ref: '#' } } }],
    [
      'itself, by its name',
      { $id: 'x', type: 'object', properties: { a: { type: 'integer' }, child: { $ref: '#' } } },
    ],
    [
      'a definition at its root',
      {
        $ref: '#/definitions/N',
        definitions: {
          N: { properties: { a: { type: 'integer' }, child: { $ref: '#/definitions/N' } } },
        },
      },
    ],
  ])('follows a schema that refers to %s', (_what, schema) => {
    for (const $schema of [undefined, 'http://json-schema.org/draft-07/schema#']) {
      const whole = $schema === undefined ? schema : { ...schema, $schema };
      const follow = compileObjectCheck(whole, 'the object');
      expect(follow({ child: { child: { a: 1 } } }).ok).toBe(true);
      expect(follow({ child: { child: { a: 'x' } } })).toEqual({
        ok: false,
        message: 'child.child.a must be integer',
      });
      expect(follow([]).ok).toBe(false);
    }
  });

  it('reads draft-07 where the schema says so', () => {
    const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }] };
    const properties = { pair };
    const draft7 = compileInputCheck({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties,
    });
    expect(draft7({ pair: ['a', 'b'] })).toEqual({ ok: false, message: 'pair.1 must be number' });
    expect(() => compileInputCheck({ type: 'object', properties })).toThrow('items');
  });

  it('compiles two schemas with one $id, also that of a meta-schema', () => {
    compileInputCheck({ $id: 'https://json-schema.org/draft/2020-12/schema', type: 'object' });
    compileInputCheck({ $id: 'http://json-schema.org/draft-07/schema', type: 'object' });
    const schema = { $id: 'https://example.com/input', type: 'object' };
    compileInputCheck(schema);
    expect(compileInputCheck({ ...schema, required: ['a'] })({})).toMatchObject({ ok: false });
  });

  it.each([
    [{ type: 'string' }, 'must be type "object"'],
    [{}, 'must be type "object"'],
    [
      { type: 'object', properties: { n: { type: 'integr' } } },
      '/properties/n: type "integr" is unknown; did you mean integer?',
    ],
    [
      { type: 'object', properties: { type: { type: ['string', 'text'] } } },
      '/properties/type: type "text" is unknown; use array, boolean, integer, null, number, object, string',
    ],
    [{ type: 'object', properties: { type: 'string' } }, '/properties/type must be object,boolean'],
  ])('refuses the schema %j', (schema, message) => {
    expect(() => compileInputCheck(schema)).toThrow(message);
  });
});
