import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { acceptRequest } from '../../../rehearsal/accept-request.js';
import type { JsonObject } from '../../platform/json.js';
import { compileInputCheck } from '../../platform/json-schema/check-input.js';
import { nativeSchema } from './native-schema.js';

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

/** Throws what the API would refuse a request with the schema for. */
function ask(schema: JsonObject): void {
  acceptRequest({
    model: 'claude-sonnet-5-5',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hi' }],
    output_config: { format: { type: 'json_schema', schema } },
  });
}

describe('nativeSchema', () => {
  it('closes objects, and moves what is not compiled to descriptions', () => {
    const schema = object(
      { age: { type: 'integer', minimum: 0 }, tags: { type: 'array', items: { type: 'string' } } },
      { required: ['age'], $schema: 'https://json-schema.org/draft/2020-12/schema' },
    );
    expect(nativeSchema(schema)).toEqual({
      type: 'object',
      properties: {
        age: { type: 'integer', description: '{minimum: 0}' },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['age'],
      additionalProperties: false,
    });
    expect(schema['required']).toEqual(['age']);
  });

  it.each<[string, JsonObject]>([
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }],
    ['an object of any keys', object({ a: { type: 'object' } })],
    ['patterns of keys', object({ a: { type: 'object', patternProperties: {} } })],
    ['a value of any type', object({ a: {} })],
    ['a list of any values', object({ a: { type: 'array' } })],
    ['a tuple', object({ a: { type: 'array', prefixItems: [], items: { type: 'string' } } })],
    ['parts that go together', object({ a: { allOf: [object({})] } })],
    ['variants beside fields', object({}, { anyOf: [{ type: 'object' }] })],
    ['values that are objects', object({ a: { enum: [{}] } })],
    ['an object or nothing', object({ a: { type: ['object', 'null'] } })],
    ['a required key without a schema', object({}, { required: ['a'] })],
    [
      'recursion',
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: object({ b: { $ref: '#/$defs/a' } }) } }),
    ],
    ['definitions below the root', object({ a: object({}, { definitions: {} }) })],
    ['a reference to a part', object({ a: { type: 'string' }, b: { $ref: '#/properties/a' } })],
    [
      'too many optional properties',
      object(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`p${i}`, { type: 'null' }]))),
    ],
  ])('leaves %s to an instruction', (_what, schema) => {
    expect(nativeSchema(schema)).toBeUndefined();
  });

  it('puts what the root refers to there, and takes a root without a type for an object', () => {
    const fields = { properties: { v: { type: 'string' } }, required: ['v'] };
    const closed = { type: 'object', ...fields, additionalProperties: false };
    expect(nativeSchema(fields)).toEqual(closed);
    const $defs = { N: { type: 'object', ...fields } };
    expect(nativeSchema({ $defs, allOf: [{ $ref: '#/$defs/N' }] })).toMatchObject(closed);
    const old = { definitions: { ...$defs, M: { $ref: '#/definitions/N' } } };
    expect(nativeSchema({ ...old, $ref: '#/definitions/N' })).toMatchObject({
      ...closed,
      $defs: { M: { $ref: '#/$defs/N' } },
    });
    for (const root of [{}, { type: 'object' }, { title: 'N' }]) {
      expect(nativeSchema({ $defs, $ref: '#/$defs/N', ...root })).toMatchObject(closed);
    }
  });

  it('walks each definition once, however often it is referred to', () => {
    const chain = (levels: number, leaf: JsonObject): JsonObject => {
      const two = (next: number): JsonObject =>
        object(
          { a: { $ref: `#/$defs/d${next}` }, b: { $ref: `#/$defs/d${next}` } },
          { required: ['a', 'b'] },
        );
      const defs = Array.from({ length: levels }, (_, level) => [`d${level}`, two(level + 1)]);
      return { ...two(0), $defs: { ...Object.fromEntries(defs), [`d${levels}`]: leaf } };
    };
    const before = process.cpuUsage();
    expect(nativeSchema(chain(50, { type: 'string' }))).toBeDefined();
    expect(nativeSchema(chain(1_000, { type: 'string' }))).toBeUndefined();
    // One optional property in the last is sixteen where four levels double it, and thirty-two with five.
    const optional = object({ a: { type: 'string' } });
    expect(nativeSchema(chain(3, optional))).toBeDefined();
    expect(nativeSchema(chain(4, optional))).toBeUndefined();
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });

  const { node } = fc.letrec<{ node: JsonObject; object: JsonObject }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<JsonObject>(
        { type: 'string', format: 'email', minLength: 2 },
        { type: 'string', pattern: '^a' },
        { type: 'integer', maximum: 9 },
        { type: ['string', 'null'] },
        { enum: ['a', 1, null] },
        { type: 'string', const: 'x' },
        { $ref: '#/$defs/named' },
        {},
      ),
      fc.record({ type: fc.constant('array'), items: tie('node'), minItems: fc.nat(3) }),
      fc.record({ anyOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
      tie('object'),
    ),
    object: fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('node')),
        fc.subarray(['a', 'b', 'd']),
      )
      .map(([properties, required]) => object(properties, { required })),
  }));

  it('is what the API takes, or nothing', () => {
    let native = 0;
    fc.assert(
      fc.property(node, (a) => {
        const schema = object({ a }, { $defs: { named: object({ n: { type: 'number' } }) } });
        const sent = nativeSchema(schema);
        if (sent === undefined) return;
        native += 1;
        ask(sent);
        compileInputCheck(sent);
      }),
    );
    expect(native).toBeGreaterThan(5);
  });
});
