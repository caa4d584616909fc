import { describe, expect, it } from '@jest/globals';
import { compileInputCheck } from './check-input.js';

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

  it('compiles two schemas with one $id', () => {
    const schema = { $id: 'https://example.com/input', type: 'object' };
    compileInputCheck(schema);
    expect(compileInputCheck({ ...schema, required: ['a'] })({})).toMatchObject({ ok: false });
  });

  it.each([
    [{ type: 'string' }, 'must be type "object"'],
    [{}, 'must be type "object"'],
    [{ type: 'object', properties: { a: { type: 'text' } } }, 'schema is invalid'],
  ])('refuses the schema %j', (schema, message) => {
    expect(() => compileInputCheck(schema)).toThrow(message);
  });
});
