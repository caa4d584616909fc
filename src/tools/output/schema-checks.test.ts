import { afterAll, describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../platform/json.js';
import { CheckStoppedError, SchemaChecks } from './schema-checks.js';

const checks = new SchemaChecks();
afterAll(() => checks.onModuleDestroy());

const pattern = (title: string): JsonObject => ({
  title,
  properties: { a: { pattern: '^(a+)+$' } },
});
const almost = { a: `${'a'.repeat(60)}b` };
const node: JsonObject = { properties: { x: { $ref: '#/$defs/node' } } };
const deep = Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ x: inner }), {});
const errors: JsonObject = {
  items: { allOf: Array.from({ length: 100 }, () => ({ type: 'string' })) },
};

describe('SchemaChecks', () => {
  it('names what is wrong with a value', async () => {
    const schema = { type: 'object', required: ['a'] };
    await checks.compile(schema);
    expect(await checks.check(schema, {})).toEqual({ ok: false, message: 'a is required' });
    expect(await checks.check(schema, { a: 1 })).toEqual({ ok: true, input: { a: 1 } });
    expect(await checks.check(schema, [])).toMatchObject({ ok: false });
  });

  it('throws for what cannot be compiled', async () => {
    const broken = { type: 'object', properties: { a: { type: 'string', pattern: '(' } } };
    await expect(checks.compile(broken)).rejects.toThrow(/Invalid regular expression/);
    await expect(checks.check(broken, {})).rejects.toThrow(/Invalid regular expression/);
  });

  it.each<[string, JsonObject, object]>([
    ['a pattern that backtracks', pattern('one'), almost],
    [
      'a pattern of keys that backtracks',
      { patternProperties: { '^(a+)+$': false } },
      { [almost.a]: 1 },
    ],
    [
      'a schema that doubles with each level',
      { $defs: { node: { allOf: [node, node] } }, $ref: '#/$defs/node' },
      deep,
    ],
    [
      'more faults than fit in memory',
      { properties: { a: errors } },
      { a: Array.from({ length: 99_999 }, () => 1) },
    ],
  ])(
    'stops the check of %s, and the event loop goes on meanwhile',
    async (_what, schema, value) => {
      await checks.compile(schema);
      let turns = 0;
      const count = setInterval(() => (turns += 1), 1);
      await expect(checks.check(schema, value)).rejects.toThrow(CheckStoppedError);
      clearInterval(count);
      // A second, in which a check on this thread would leave it one or two.
      expect(turns).toBeGreaterThan(20);
      expect(await checks.check(schema, {})).toEqual({ ok: true, input: {} });
    },
  );

  it('lets a quick check pass those that take long', async () => {
    const ended: string[] = [];
    const slow = Array.from({ length: 4 }, async (_, index) => {
      await expect(checks.check(pattern(`slow ${index}`), almost)).rejects.toThrow('1000 ms');
      ended.push('slow');
    });
    for (let index = 0; index < 4; index += 1) {
      await checks.check({ type: 'object', title: `quick ${index}` }, {});
      ended.push('quick');
    }
    await Promise.all(slow);
    // In one thread, each would have come after the slow ones, which were there first.
    expect(ended.indexOf('quick')).toBeLessThan(ended.lastIndexOf('slow'));
    expect(ended).toHaveLength(8);
  });
});
