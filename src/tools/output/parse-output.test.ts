import { describe, expect, it } from '@jest/globals';
import { parseOutput } from './schema-checks.js';

const schema = { type: 'object', properties: { a: { type: 'integer' } } };

const groups = `${'(a|b'.repeat(5_000)}${')'.repeat(5_000)}`;

/** Definitions that each refer twice to the next one, as `pair` has them. */
const chain = (levels: number, pair: (next: object) => object): object => {
  const level = (at: number): object => pair({ $ref: `#/$defs/d${at + 1}` });
  const defs = Array.from({ length: levels }, (_, at) => [`d${at}`, level(at)]);
  const last = [`d${levels}`, {}];
  return { ...level(-1), type: 'object', $defs: Object.fromEntries([...defs, last]) };
};
const pairs: readonly [string, (next: object) => object][] = [
  ['properties', (next) => ({ type: 'object', properties: { a: next, b: next } })],
  [
    'properties with names of keywords',
    (next) => ({ properties: { $defs: next, definitions: next } }),
  ],
  ['all of a list', (next) => ({ allOf: [next, next] })],
  ['items and a condition', (next) => ({ items: next, not: next })],
];

describe('parseOutput', () => {
  it('takes a schema, with one repair where none are named', () => {
    expect(parseOutput({ schema })).toEqual({ output: { schema, repairs: 1 } });
    expect(parseOutput({ schema, repairs: 0 })).toEqual({ output: { schema, repairs: 0 } });
    const odd = `${'[(]'.repeat(500)}${String.raw`\(`.repeat(500)}(a)(b)`;
    const plain = { ...schema, pattern: odd };
    expect(parseOutput({ schema: plain })).toEqual({ output: { schema: plain, repairs: 1 } });
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
    ['a pattern of thousands of groups', { schema: { ...schema, pattern: groups } }, '/schema'],
    [
      'such a pattern of keys',
      { schema: { ...schema, patternProperties: { [groups]: {} } } },
      '/schema',
    ],
    ['a long one', { schema: { ...schema, title: 'x'.repeat(32_768) } }, '/schema'],
  ])('refuses %s, by its pointer', (_what, value, pointer) => {
    expect(parseOutput(value)).toEqual({
      fault: expect.stringMatching(/^an object of schema, .*/),
      pointer,
    });
  });
});

describe('a schema of definitions that refer to each other', () => {
  it.each(pairs)('is refused in no time where %s double with each of 60 levels', (_what, pair) => {
    const before = process.cpuUsage();
    expect(parseOutput({ schema: chain(60, pair) })).toEqual({
      fault: expect.stringContaining('more than 100000 parts once each $ref is replaced'),
      pointer: '/schema',
    });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  it.each(pairs)('is taken where %s double with each of a few levels', (_what, pair) => {
    expect(parseOutput({ schema: chain(10, pair) })).toMatchObject({ output: {} });
  });

  it('is taken where all refer to all, as in a grammar', () => {
    const names = Array.from({ length: 36 }, (_, index) => `d${index}`);
    const any = { anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) };
    const kind = { type: 'object', properties: { child: any } };
    const $defs = Object.fromEntries(names.map((name) => [name, { ...kind, title: name }]));
    const grammar = { $ref: '#/$defs/d0', $defs };
    expect(JSON.stringify(grammar).length).toBeGreaterThan(25_000);
    expect(parseOutput({ schema: grammar })).toMatchObject({ output: {} });
  });
});

describe('the root of a schema', () => {
  const $defs = { N: { ...schema, required: ['a'] } };
  it.each<[string, object]>([
    ['a reference', { $defs, $ref: '#/$defs/N' }],
    ['a reference to draft 7’s definitions', { definitions: $defs, $ref: '#/definitions/N' }],
    ['a list of one reference', { $defs, allOf: [{ $ref: '#/$defs/N' }] }],
    ['variants', { $defs, anyOf: [{ $ref: '#/$defs/N' }, { type: 'null' }] }],
    ['an object or null', { ...schema, type: ['object', 'null'] }],
    ['no type', { properties: schema.properties }],
    ['nothing', {}],
    ['itself', { type: 'object', properties: { child: { $ref: '#' } } }],
    [
      'a circle',
      { $defs: { N: { properties: { child: { $ref: '#/$defs/N' } } } }, $ref: '#/$defs/N' },
    ],
  ])('may be %s', (_what, given) => {
    expect(parseOutput({ schema: given })).toEqual({ output: { schema: given, repairs: 1 } });
  });

  it.each<[string, object, string]>([
    ['a list', { type: 'array' }, '/schema/type'],
    ['a reference to a text', { $defs: { s: { type: 'string' } }, $ref: '#/$defs/s' }, '/schema'],
    ['variants without an object', { anyOf: [{ type: 'string' }, { type: 'null' }] }, '/schema'],
    ['a part that is none', { ...schema, allOf: [{ type: 'array' }] }, '/schema'],
  ])('may not be %s', (_what, given, pointer) => {
    expect(parseOutput({ schema: given })).toEqual({
      fault: expect.stringContaining('its root is not of type "object"'),
      pointer,
    });
  });
});
