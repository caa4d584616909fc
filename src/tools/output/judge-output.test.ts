import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compileObjectCheck } from '../../platform/json-schema/check-input.js';
import type { JsonObject } from '../../platform/json.js';
import { judgeOutput, CheckStoppedError } from './schema-checks.js';

const compiled = compileObjectCheck(
  {
    type: 'object',
    properties: { count: { type: 'integer', minimum: 1 } },
    required: ['count'],
    additionalProperties: false,
  },
  'the object',
);
const check = async (value: unknown) => compiled(value);

describe('judgeOutput', () => {
  it.each([
    '{"count":1}',
    ' \n{"count": 1}\n',
    '```json\n{"count":1}\n```',
    '```\n{"count":1}\n```\n',
  ])('takes %j', async (text) => {
    expect(await judgeOutput(text, check)).toEqual({ output: { count: 1 } });
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
  ])('names the faults of %#', async (text, says) => {
    expect(await judgeOutput(text, check)).toEqual({ faults: expect.stringContaining(says) });
  });

  it('is never an object that the schema does not take, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        const judged = await judgeOutput(text, check);
        if ('output' in judged) expect(compiled(judged.output).ok).toBe(true);
        else expect(judged.faults).not.toBe('');
      }),
    );
  });

  it('makes an object storable before it is checked', async () => {
    const any = async (input: unknown) => ({ ok: true, input: input as JsonObject }) as const;
    expect(await judgeOutput(String.raw`{"a\u0000":"\ud800"}`, any)).toEqual({
      output: { 'a\uFFFD': '\uFFFD' },
    });
  });

  it('says of a check that was stopped why it was, and hides no other error', async () => {
    const stopped = async () => Promise.reject(new CheckStoppedError('it took longer than 1 ms'));
    expect(await judgeOutput('{}', stopped)).toEqual({
      faults: 'its check by the schema was stopped: it took longer than 1 ms',
    });
    const broken = async () => Promise.reject(new TypeError('mine'));
    await expect(judgeOutput('{}', broken)).rejects.toThrow('mine');
  });
});
