import { describe, expect, it } from '@jest/globals';
import { ValidationDetailError } from '../../http/validation-detail.js';
import { parseBusy, parseContextId, parseQuestion } from './oracle-question.js';

function problemsOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValidationDetailError)) throw error;
    return error.detail.map(({ loc, type }) => `${loc.join('.')} ${type}`);
  }
}

const ask = (more: object): unknown =>
  problemsOf(() => parseQuestion({ question: 'Why?', ...more }));

describe('parseQuestion', () => {
  it('has the defaults of the contract; null is a field left out', () => {
    const expected = {
      question: 'Why?',
      sources: undefined,
      explain: false,
      model: undefined,
      thinking: undefined,
      maxTokens: 16_000,
      contextId: undefined,
      projectId: undefined,
    };
    expect(parseQuestion({ question: ' Why? ' })).toEqual(expected);
    const names = ['sources', 'explain', 'model', 'thinking', 'max_tokens', 'context_id'];
    const nulls = Object.fromEntries([...names, 'project_id', 'other'].map((name) => [name, null]));
    expect(parseQuestion({ ...nulls, question: 'Why?' })).toEqual(expected);
  });

  it('takes every field', () => {
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
    expect(parseQuestion(body)).toEqual({
      question: 'Why?',
      sources: ['vault', 'code', 'threads'],
      explain: true,
      model: 'claude-opus-4-8',
      thinking: true,
      maxTokens: 1_000,
      contextId: 'sess_1',
      projectId: 'my-project_1',
    });
  });

  it.each<[object, string]>([
    [{ question: undefined }, 'body.question missing'],
    [{ question: null }, 'body.question string_type'],
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
  ])('refuses %j as %s', (more, problem) => {
    expect(ask(more)).toEqual([problem]);
  });

  it('counts a question’s characters, not their halves', () => {
    expect(ask({ question: '\u{1F600}'.repeat(2_000) })).toMatchObject({ explain: false });
  });

  it('names every field that is wrong, and what it may be', () => {
    expect(ask({ question: 1, max_tokens: 1 })).toEqual([
      'body.question string_type',
      'body.max_tokens greater_than_equal',
    ]);
    expect(() => parseQuestion({ question: 'x', max_tokens: 1 })).toThrow(
      'max_tokens must be a whole number from 1000 to 100000',
    );
  });

  it.each([[undefined], [null], [[]], ['question']])('refuses the body %j', (body) => {
    const type = body === undefined ? 'missing' : 'dict_type';
    expect(problemsOf(() => parseQuestion(body))).toEqual([`body ${type}`]);
  });
});

describe('the queries', () => {
  it('interrupt unless told, and take no third word', () => {
    expect([parseBusy(undefined), parseBusy('interrupt'), parseBusy('reject')]).toEqual([
      'interrupt',
      'interrupt',
      'reject',
    ]);
    expect(problemsOf(() => parseBusy('queue'))).toEqual(['query.busy literal_error']);
  });

  it('name one conversation or none', () => {
    expect([parseContextId(undefined), parseContextId(''), parseContextId('sess_1')]).toEqual([
      undefined,
      undefined,
      'sess_1',
    ]);
    expect(problemsOf(() => parseContextId(['a', 'b']))).toEqual(['query.context_id string_type']);
  });
});
