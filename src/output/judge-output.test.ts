import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compileInputCheck, compileObjectCheck } from '../platform/check-input.js';
import type { JsonObject } from '../platform/json.js';
import { judgeOutput } from './judge-output.js';

const check = compileObjectCheck(
  {
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1 } },
    required: ['count'],
    additionalProperties: false,
  },
  'the object',
);

describe('judgeOutput', () => {
  it.each([
    '{"count":1}',
    ' \n{"count": 1}\n',
    '```json\n{"count":1}\n```',
    '```\n{"count":1}\n```\n',
  ])('takes %j', (text) => {
    expect(judgeOutput(text, check)).toEqual({ output: { count: 1 } });
  });

  it.each([
    ['', 'the reply is empty'],
    ['Here it is: {"count":1}', 'it is not JSON'],
    ['{"count":1} Done.', 'it is not JSON'],
    ['{"count":', 'it is not JSON'],
    ['[1]', 'the object must be object'],
    ['{}', 'count is required'],
    ['{"count":0}', 'count must be >= 1'],
    ['{"count":1,"more":2}', 'more is not allowed (known: count)'],
    ['['.repeat(100_000), 'it is larger than 100 levels'],
    [`{"count":${'[1,'.repeat(60_000)}`, 'it is larger than 100 levels'],
  ])('names the faults of %#', (text, says) => {
    expect(judgeOutput(text, check)).toEqual({ faults: expect.stringContaining(says) });
  });

  it('is never an object that the schema does not take, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const judged = judgeOutput(text, check);
        if ('output' in judged) expect(check(judged.output).ok).toBe(true);
        else expect(judged.faults).not.toBe('');
      }),
    );
  });

  it('makes an object storable before it is checked', () => {
    const any = compileInputCheck({ type: 'object' });
    expect(judgeOutput(String.raw`{"a\u0000":"\ud800"}`, any)).toEqual({
      output: { 'a\uFFFD': '\uFFFD' },
    });
  });

  const deep = Array.from({ length: 40 }).reduce((inner) => ({ x: inner }), 1);
  const node = { properties: { x: { $ref: '#/$defs/node' } } };
  it.each<[string, JsonObject, unknown]>([
    [
      'a pattern that backtracks',
      { type: 'object', properties: { a: { pattern: '^(a+)+$' } } },
      { a: `${'a'.repeat(60)}b` },
    ],
    [
      'a schema that doubles with each level',
      { type: 'object', $defs: { node: { allOf: [node, node] } }, $ref: '#/$defs/node' },
      deep,
    ],
  ])('stops the check of %s', (_what, schema, value) => {
    const judged = judgeOutput(JSON.stringify(value), compileObjectCheck(schema, 'the object'));
    expect(judged).toEqual({ faults: expect.stringContaining('was stopped') });
  });
});
