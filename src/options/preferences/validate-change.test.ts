import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { agentConfigFields } from '../../governance/decision-tree/agent-config.js';
import { modelFields, preferenceNames } from './model-preferences.js';
import { validateChange } from './validate-change.js';
import { integerRule } from './preference-rules.js';
import { ValidationDetailError, type ValidationProblem } from '../../http/validation-detail.js';

const problemsOf = (...change: Parameters<typeof validateChange>): ValidationProblem[] => {
  try {
    validateChange(...change);
    return [];
  } catch (error) {
    if (error instanceof ValidationDetailError) return error.detail;
    throw error;
  }
};

const fields = [
  ...modelFields,
  ...agentConfigFields.map((field) => ({ wireName: field.wireName, rule: integerRule(field) })),
];

describe('validateChange', () => {
  it.each([
    [{}, {}],
    [{ max_iterations: 1 }, { max_iterations: 1 }],
    [
      { max_iterations: 50, token_budget: 1_000 },
      { max_iterations: 50, token_budget: 1_000 },
    ],
    [{ oracle_model: ' a ' }, { oracle_model: 'a' }],
    [{ thinking_enabled: false }, { thinking_enabled: false }],
    [{ subagent_model: 'm'.repeat(200) }, { subagent_model: 'm'.repeat(200) }],
    [
      { librarian_timeout: 3_600, max_context_nodes: 5 },
      { librarian_timeout: 3_600, max_context_nodes: 5 },
    ],
  ])('takes %j', (body, change) => {
    expect(validateChange(body, 'models')).toEqual(change);
  });

  it.each<[object, string, string]>([
    [{ max_iterations: 0 }, 'greater_than_equal', 'from 1 to 50, not 0'],
    [{ max_iterations: 51 }, 'less_than_equal', 'from 1 to 50, not 51'],
    [{ max_iterations: '5' }, 'int_type', 'from 1 to 50, not "5"'],
    [{ max_iterations: true }, 'int_type', 'from 1 to 50, not true'],
    [{ max_iterations: null }, 'int_type', 'from 1 to 50, not null'],
    [{ max_iterations: 5.5 }, 'int_from_float', 'from 1 to 50, not 5.5'],
    [{ max_iterations: Infinity }, 'less_than_equal', 'from 1 to 50'],
    [{ librarian_timeout: 59 }, 'greater_than_equal', 'from 60 to 3600, not 59'],
    [{ librarian_timeout: [] }, 'int_type', 'from 60 to 3600, not []'],
    [{ max_context_nodes: 101 }, 'less_than_equal', 'from 5 to 100, not 101'],
    [{ thinking_enabled: 1 }, 'bool_type', 'true or false, not 1'],
    [{ oracle_model: 1 }, 'string_type', "a model's name of 1 to 200 characters"],
    [{ oracle_model: ' ' }, 'string_too_short', 'not " "'],
    [{ oracle_model: 'm'.repeat(201) }, 'string_too_long', 'not "mmm'],
    [{ oracle_model: 'a\0b' }, 'value_error', 'without NUL, not "a\\u0000b"'],
    [{ oracle_model: '\ud800' }, 'value_error', 'not "\\ud800"'],
  ])('refuses %j as %s', (body, type, words) => {
    const [name = ''] = Object.keys(body);
    expect(problemsOf(body, 'models')).toEqual([
      { loc: ['body', name], msg: expect.stringMatching(`^${name} must be `), type },
    ]);
    expect(problemsOf(body, 'models')[0]?.msg).toContain(words);
  });

  it('names every field that is wrong, the unknown ones last', () => {
    const body = { other: 1, max_iterations: 0, thinking_enabled: 'x', token_budget: 2_000 };
    expect(problemsOf(body, 'models').map(({ loc, type }) => [loc[1], type])).toEqual([
      ['thinking_enabled', 'bool_type'],
      ['max_iterations', 'greater_than_equal'],
      ['other', 'extra_forbidden'],
    ]);
  });

  it.each(['thinking_enabled', 'other', 'constructor', '__proto__'])(
    'refuses the unknown limit %s, and names the known ones',
    (name) => {
      const body: unknown = JSON.parse(`{"${name}": true}`);
      expect(problemsOf(body, 'agentConfig')).toEqual([
        {
          loc: ['body', name],
          msg: `${name} is not a setting here: send any of ${preferenceNames.agentConfig.join(', ')}`,
          type: 'extra_forbidden',
        },
      ]);
    },
  );

  it.each([
    [undefined, 'missing'],
    [null, 'dict_type'],
    [[{ max_iterations: 1 }], 'dict_type'],
    ['text', 'dict_type'],
  ])('refuses %j, which is no object', (body, type) => {
    expect(problemsOf(body, 'agentConfig')).toEqual([
      { loc: ['body'], msg: expect.stringContaining('JSON object with any of max_iter'), type },
    ]);
  });

  it('answers at no length, whatever it was sent', () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field${i}`, i]));
    expect(problemsOf(unknown, 'models')).toHaveLength(20);
    const long = 'x'.repeat(10_000);
    for (const problem of problemsOf({ [long]: 1, max_iterations: long }, 'models')) {
      expect(JSON.stringify(problem).length).toBeLessThan(600);
    }
  });

  it('takes a field if and only if it is within what its rule says', () => {
    const value = fc.oneof(fc.jsonValue(), fc.integer({ min: -5, max: 250_000 }), fc.double());
    fc.assert(
      fc.property(fc.constantFrom(...fields), value, ({ wireName, rule }, given) => {
        const parsed = rule.parse(given);
        const problems = problemsOf({ [wireName]: given }, 'models');
        expect(problems).toHaveLength(parsed === undefined ? 1 : 0);
        if (problems.length === 0) {
          expect(validateChange({ [wireName]: given }, 'models')).toEqual({ [wireName]: parsed });
        } else expect(problems[0]?.type).toBe(rule.fault(given));
      }),
      { numRuns: 500 },
    );
  });
});
