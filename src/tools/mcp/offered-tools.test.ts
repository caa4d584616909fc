import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import { compileInputCheck } from '../../platform/json-schema/check-input.js';
import { parseTool } from './offered-tools.js';

function read(inputSchema: unknown, rest: object = {}) {
  return parseTool({ name: 'tool', inputSchema, ...rest });
}

describe('parseTool', () => {
  it('reads what a server says of a tool', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const tool = read(schema, {
      description: 'does it',
      annotations: { readOnlyHint: true, idempotentHint: 'yes' },
    });
    expect(tool).toMatchObject({
      name: 'tool',
      description: 'does it',
      inputSchema: schema,
      readOnly: true,
      idempotent: false,
    });
    expect(tool.checkInput({})).toEqual({ ok: false, message: 'a is required' });
    expect(tool.checkInput({ a: 'b' })).toEqual({ ok: true, input: { a: 'b' } });
  });

  it.each([
    ['no tool', undefined, 'it has no name'],
    ['no name', { name: '' }, 'it has no name'],
    ['a long name', { name: 'x'.repeat(257) }, 'its name is too long'],
    ['a schema that is none', { name: 'a', inputSchema: true }, 'its input schema is no object'],
    [
      'a tool that runs as a task only',
      { name: 'a', inputSchema: {}, execution: { taskSupport: 'required' } },
      'it runs as a task only',
    ],
    [
      'another root',
      { name: 'a', inputSchema: { type: 'string' } },
      'its root is not of type "object"',
    ],
    [
      'a type that is none',
      { name: 'a', inputSchema: { type: 'object', properties: { b: { type: 'c' } } } },
      'type',
    ],
    [
      'a reference to nothing',
      { name: 'a', inputSchema: { type: 'object', $ref: '#/$defs/x' } },
      'it refers to',
    ],
    [
      'a reference to elsewhere',
      { name: 'a', inputSchema: { type: 'object', $ref: 'https://x.y' } },
      'it refers to',
    ],
    [
      'a property models refuse',
      { name: 'a', inputSchema: { type: 'object', properties: { 'b c': {} } } },
      '"b c"',
    ],
  ])('refuses %s', (_what, given, problem) => expect(() => parseTool(given)).toThrow(problem));

  it('shows no choice at the root, which the provider refuses', () => {
    const anyOf = [{ required: ['a'] }, { required: ['b'] }];
    const tool = read({ type: 'object', properties: { a: {}, b: {} }, anyOf });
    expect(tool.inputSchema).toEqual({ type: 'object', properties: { a: {}, b: {} } });
  });

  it.each<[string, JsonObject, JsonObject]>([
    [
      'what its reference leads to',
      { $ref: '#/$defs/n', $defs: { n: { properties: { v: {} }, required: ['v'] } } },
      { properties: { v: {} }, required: ['v'] },
    ],
    [
      'the properties of all parts',
      {
        allOf: [
          { properties: { a: {} }, required: ['a'] },
          { properties: { b: {} }, required: ['b'] },
        ],
      },
      { properties: { a: {}, b: {} }, required: ['a', 'b'] },
    ],
    [
      'those of each variant',
      {
        oneOf: [
          { properties: { kind: { const: 'a' }, a: {} }, required: ['kind', 'a'] },
          { properties: { kind: { const: 'b' }, b: {} }, required: ['kind', 'b'] },
          { type: 'null' },
        ],
      },
      {
        properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, a: {}, b: {} },
        required: ['kind'],
      },
    ],
    ['an object without a type', { properties: { a: {} } }, { properties: { a: {} } }],
    ['any object where nothing is said', {}, {}],
    [
      'an object that may be null',
      { type: ['object', 'null'], properties: { a: {} } },
      { properties: { a: {} } },
    ],
  ])('shows %s at the root', (_what, schema, shown) => {
    const { $defs: _definitions, ...tool } = read(schema).inputSchema;
    expect(tool).toEqual({ type: 'object', ...shown });
  });

  it('shows any object for a tool without a schema, and for one whose tasks are optional', () => {
    expect(parseTool({ name: 'a' }).inputSchema).toEqual({ type: 'object' });
    const execution = { taskSupport: 'optional' };
    expect(parseTool({ name: 'a', inputSchema: null, execution }).inputSchema).toEqual({
      type: 'object',
    });
  });

  it('checks what is there, what must be, and its type; the server checks the rest', () => {
    const tool = read({
      type: 'object',
      properties: {
        a: { type: 'string', minLength: 9 },
        b: { enum: [1, 2] },
        c: { $ref: '#/properties/a' },
      },
      additionalProperties: false,
    });
    const said = (input: unknown): string => {
      const checked = tool.checkInput(input);
      return checked.ok ? 'ok' : checked.message;
    };
    expect(said({ a: 'short', c: 1 })).toBe('ok');
    expect(said({ a: 1 })).toBe('a must be string');
    expect(said({ b: 3 })).toBe('b must be one of [1,2]');
    expect(said({ d: 1 })).toBe('d is not allowed (known: a, b, c)');
  });
});

describe('a hostile schema', () => {
  it.each([20, 40, 600])('is refused with a chain of %i references that double', (levels) => {
    const $defs = Object.fromEntries(
      Array.from({ length: levels }, (_, i) => [
        `d${i}`,
        i === levels - 1
          ? {}
          : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
    expect(() => read({ properties: { a: { $ref: '#/$defs/d0' } }, $defs })).toThrow(
      'more than 100000 parts',
    );
  });

  it('does not run its regular expressions', () => {
    const pattern = '^(a+)+$';
    const tool = read({ type: 'object', properties: { a: { type: 'string', pattern } } });
    expect(tool.checkInput({ a: `${'a'.repeat(64)}!` }).ok).toBe(true);
    expect(tool.checkInput({ a: 1 }).ok).toBe(false);
  });

  it('is no promise: one that fails later would end the process', () => {
    const tool = read({ $async: true, type: 'object', required: ['a'] });
    expect(tool.checkInput({}).ok).toBe(false);
  });

  it('does not touch what other schemas rest on', () => {
    const names = [
      'https://json-schema.org/draft/2020-12/schema',
      'http://json-schema.org/draft-07/schema#',
    ];
    for (const $id of names) read({ $id, type: 'object' });
    for (const $schema of names) {
      const schema: JsonObject = { $schema, type: 'object', required: ['a'] };
      expect(compileInputCheck(schema)({}).ok).toBe(false);
      expect(read(schema).checkInput({}).ok).toBe(false);
    }
  });

  it('is read in no time, however it is built', () => {
    const nest = (depth: number, around: (schema: JsonObject) => JsonObject): JsonObject => {
      let schema: JsonObject = { type: 'object' };
      for (let i = 0; i < depth; i += 1) schema = around(schema);
      return schema;
    };
    const names = Array.from({ length: 2_500 }, (_, i) => `p${i}`);
    const fields = (from: number): JsonObject =>
      Object.fromEntries(names.slice(0, 500).map((name, i) => [name, { const: from + i }]));
    // A chain at the root, whose parts are put together.
    const link = (next: number): JsonObject => ({ $ref: `#/$defs/d${next}` });
    const merging = ['allOf', 'anyOf'].map((join): JsonObject => {
      const defs = names
        .slice(0, 500)
        .map((_, i): [string, JsonObject] => [
          `d${i}`,
          i < 499 ? { [join]: [link(i + 1), { properties: { [`q${i}`]: {} } }] } : {},
        ]);
      const twice = { d499: { properties: fields(0) }, d500: { properties: fields(1) } };
      const $defs = { ...Object.fromEntries(defs), ...twice };
      return { [join]: [link(0), link(499), link(500)], $defs };
    });
    const hostile: JsonObject[] = [
      nest(1_000, (schema) => ({ type: 'object', properties: { a: schema } })),
      nest(300, (schema) => ({ type: 'object', anyOf: [schema, true] })),
      nest(10, (schema) => ({ type: 'object', oneOf: [schema, schema] })),
      ...merging,
      {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      },
    ];
    for (const schema of merging) expect(JSON.stringify(schema).length).toBeLessThan(65_536);
    const before = process.cpuUsage();
    for (const schema of hostile) {
      try {
        read(schema).checkInput({ a: {} });
      } catch (error) {
        expect(error).toMatchObject({ message: expect.any(String) });
      }
    }
    // Compiling the schemas would take ten seconds.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });
});
