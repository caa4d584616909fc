import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { takeRequest } from '../../http/request.pipe.js';
import { isTypedError } from '../../errors/typed-error.js';
import type { ValidationProblemDto } from '../../http/errors/error.dto.js';
import { BusyQueryDto, ContextQueryDto, OracleQuestionDto } from './oracle.dto.js';

async function problemsOf(type: Type<object>, value: unknown): Promise<unknown> {
  try {
    return await takeRequest(type, value);
  } catch (error) {
    if (!isTypedError(error, 'INVALID_REQUEST')) throw error;
    const faults = error.details as ValidationProblemDto[];
    return faults.map(({ loc, type: fault }) => `${loc.join('.')} ${fault}`);
  }
}

const ask = (more: object): Promise<unknown> =>
  problemsOf(OracleQuestionDto, { question: 'Why?', ...more });

describe('OracleQuestionDto', () => {
  it('has the defaults of the contract; null is a field left out', async () => {
    const expected = { question: 'Why?', explain: false, max_tokens: 16_000 };
    expect(await ask({ question: ' Why? ' })).toEqual(expected);
    const names = ['sources', 'explain', 'model', 'thinking', 'max_tokens', 'context_id'];
    const nulls = Object.fromEntries([...names, 'project_id', 'other'].map((name) => [name, null]));
    expect(await ask(nulls)).toEqual(expected);
  });

  it('takes every field', async () => {
    const body = {
      question: 'Why?',
      sources: ['vault', 'code', 'threads'],
      explain: true,
      model: 'claude-opus-4-8',
      thinking: true,
      max_tokens: 1_000,
      context_id: 'sess_1',
      project_id: 'my-project_1',
    };
    expect(await ask(body)).toEqual(body);
  });

  it.each<[object, string]>([
    [{ question: undefined }, 'body.question missing'],
    [{ question: null }, 'body.question string_type'],
    [{ question: { toString: 1 } }, 'body.question string_type'],
    [{ question: '  ' }, 'body.question string_too_short'],
    [{ question: 'x'.repeat(2_001) }, 'body.question string_too_long'],
    [{ question: 'a\0b' }, 'body.question value_error'],
    [{ sources: 'vault' }, 'body.sources list_type'],
    [{ sources: ['web'] }, 'body.sources literal_error'],
    [{ explain: 'yes' }, 'body.explain bool_type'],
    [{ thinking: 1 }, 'body.thinking bool_type'],
    [{ model: '' }, 'body.model string_too_short'],
    [{ max_tokens: 999 }, 'body.max_tokens greater_than_equal'],
    [{ max_tokens: 100_001 }, 'body.max_tokens less_than_equal'],
    [{ max_tokens: 1_000.5 }, 'body.max_tokens int_from_float'],
    [{ max_tokens: '1000' }, 'body.max_tokens int_type'],
    [{ context_id: 7 }, 'body.context_id string_type'],
    [{ project_id: '../etc' }, 'body.project_id string_pattern_mismatch'],
    [{ project_id: 'a'.repeat(65) }, 'body.project_id string_too_long'],
  ])('refuses %j as %s', async (more, problem) => {
    expect(await ask(more)).toEqual([problem]);
  });

  it('counts a question’s characters, not their halves', async () => {
    expect(await ask({ question: '\u{1F600}'.repeat(2_000) })).toMatchObject({ explain: false });
  });

  it('names every field that is wrong, and what it may be', async () => {
    expect(await ask({ question: 1, max_tokens: 1 })).toEqual([
      'body.question string_type',
      'body.max_tokens greater_than_equal',
    ]);
    await expect(takeRequest(OracleQuestionDto, { max_tokens: 1 })).rejects.toThrow(
      'question is missing; it must be a text of 1 to 2,000 characters; max_tokens must be a whole number from 1000 to 100000, not 1',
    );
  });

  it.each<[unknown, string]>([
    [undefined, 'body.question missing'],
    [[], 'body dict_type'],
    [[{ question: 'Why?' }], 'body dict_type'],
  ])('refuses the body %j', async (body, problem) => {
    expect(await problemsOf(OracleQuestionDto, body)).toEqual([problem]);
  });
});

describe('the queries', () => {
  it('interrupt unless told, and take no third word', async () => {
    expect(await problemsOf(BusyQueryDto, {})).toEqual({ busy: 'interrupt' });
    expect(await problemsOf(BusyQueryDto, { busy: 'reject' })).toEqual({ busy: 'reject' });
    expect(await problemsOf(BusyQueryDto, { busy: 'queue' })).toEqual(['query.busy literal_error']);
  });

  it('name one conversation or none', async () => {
    expect(await problemsOf(ContextQueryDto, {})).toEqual({});
    expect(await problemsOf(ContextQueryDto, { context_id: '' })).toEqual({});
    expect(await problemsOf(ContextQueryDto, { context_id: 'a' })).toEqual({ context_id: 'a' });
    expect(await problemsOf(ContextQueryDto, { context_id: ['a', 'b'] })).toEqual([
      'query.context_id string_type',
    ]);
  });
});
