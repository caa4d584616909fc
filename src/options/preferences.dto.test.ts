import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { takeRequest } from '../http/request.pipe.js';
import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import type { ValidationProblemDto } from '../http/errors/error.dto.js';
import { isTypedError } from '../errors/typed-error.js';
import {
  AgentConfigDto,
  limitNames,
  preferenceNames,
  PreferencesDto,
  ResetAgentConfigDto,
  ResetPreferencesDto,
} from './preferences.dto.js';
import { validPreferences } from './preferences.js';

async function problemsOf(
  type: Type<object>,
  body: unknown,
): Promise<readonly ValidationProblemDto[]> {
  try {
    await takeRequest(type, body);
    return [];
  } catch (error) {
    if (isTypedError(error, 'INVALID_REQUEST')) return error.details as ValidationProblemDto[];
    throw error;
  }
}

describe('a change of preferences', () => {
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
  ])('takes %j', async (body, change) => {
    expect(await takeRequest(PreferencesDto, body)).toEqual(change);
  });

  it.each<[object, string, string]>([
    [{ max_iterations: 0 }, 'greater_than_equal', 'from 1 to 50, not 0'],
    [{ max_iterations: 51 }, 'less_than_equal', 'from 1 to 50, not 51'],
    [{ max_iterations: '5' }, 'int_type', 'from 1 to 50, not "5"'],
    [{ max_iterations: true }, 'int_type', 'from 1 to 50, not true'],
    [{ max_iterations: null }, 'int_type', 'from 1 to 50, not null'],
    [{ max_iterations: 5.5 }, 'int_from_float', 'from 1 to 50, not 5.5'],
    [{ max_iterations: Infinity }, 'int_from_float', 'from 1 to 50'],
    [{ librarian_timeout: 59 }, 'greater_than_equal', 'from 60 to 3600, not 59'],
    [{ librarian_timeout: [] }, 'int_type', 'from 60 to 3600, not []'],
    [{ max_context_nodes: 101 }, 'less_than_equal', 'from 5 to 100, not 101'],
    [{ thinking_enabled: 1 }, 'bool_type', 'true or false, not 1'],
    [{ oracle_model: 1 }, 'string_type', "a model's name of 1 to 200 characters"],
    [{ oracle_model: ' ' }, 'string_too_short', 'not ""'],
    [{ oracle_model: 'm'.repeat(201) }, 'string_too_long', 'not "mmm'],
    [{ oracle_model: 'a\0b' }, 'value_error', 'without NUL, not "a\\u0000b"'],
    [{ oracle_model: '\ud800' }, 'value_error', 'not "\\ud800"'],
  ])('refuses %j as %s', async (body, type, words) => {
    const [name = ''] = Object.keys(body);
    const problems = await problemsOf(PreferencesDto, body);
    expect(problems).toEqual([
      { loc: ['body', name], msg: expect.stringMatching(`^${name} must be `), type },
    ]);
    expect(problems[0]?.msg).toContain(words);
  });

  it('names every field that is wrong, the unknown ones last', async () => {
    const body = { other: 1, max_iterations: 0, thinking_enabled: 'x', token_budget: 2_000 };
    const problems = await problemsOf(PreferencesDto, body);
    expect(problems.map(({ loc, type }) => [loc[1], type])).toEqual([
      ['thinking_enabled', 'bool_type'],
      ['max_iterations', 'greater_than_equal'],
      ['other', 'extra_forbidden'],
    ]);
  });

  it.each(['thinking_enabled', 'other'])(
    'refuses the unknown limit %s, and names the known ones',
    async (name) => {
      expect(await problemsOf(AgentConfigDto, { [name]: true })).toEqual([
        {
          loc: ['body', name],
          msg: `${name} is no field here: send any of ${limitNames.join(', ')}`,
          type: 'extra_forbidden',
        },
      ]);
    },
  );

  it.each([[[]], [[{ max_iterations: 1 }]]])('refuses %j, which is no object', async (body) => {
    expect(await problemsOf(AgentConfigDto, body)).toEqual([
      { loc: ['body'], msg: 'The request body must be a JSON object', type: 'dict_type' },
    ]);
  });

  it('answers at no length, whatever it was sent', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`field${i}`, i]));
    expect(await problemsOf(PreferencesDto, unknown)).toHaveLength(20);
    const long = 'x'.repeat(10_000);
    for (const problem of await problemsOf(PreferencesDto, { [long]: 1, max_iterations: long })) {
      expect(JSON.stringify(problem).length).toBeLessThan(600);
    }
  });

  it('is refused if and only if it would not be read back', async () => {
    const value = fc.oneof(fc.jsonValue(), fc.integer({ min: -5, max: 250_000 }), fc.double());
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...preferenceNames), value, async (name, given) => {
        const problems = await problemsOf(PreferencesDto, { [name]: given });
        const stored: Record<string, unknown> = { ...validPreferences({ [name]: given }) };
        expect(problems).toHaveLength(Object.hasOwn(stored, name) ? 0 : 1);
      }),
      { numRuns: 500 },
    );
  });

  it('takes every limit of the table', () => {
    expect(limitNames).toEqual(agentConfigFields.map(({ wireName }) => wireName));
  });
});

describe('a reset of preferences', () => {
  it('is of all that the route has, or of those that are named', async () => {
    expect(await takeRequest(ResetAgentConfigDto, {})).toEqual({ fields: limitNames });
    const fields = ['thinking_enabled'];
    expect(await takeRequest(ResetPreferencesDto, { fields })).toEqual({ fields });
  });

  it.each([
    ['all', 'list_type'],
    [null, 'list_type'],
    [['thinking_enabled'], 'enum'],
    [[1], 'enum'],
  ])('refuses the fields %j', async (fields, type) => {
    expect(await problemsOf(ResetAgentConfigDto, { fields })).toEqual([
      {
        loc: ['body', 'fields'],
        msg: `fields must be a list of any of ${limitNames.join(', ')}, not ${JSON.stringify(fields)}`,
        type,
      },
    ]);
  });
});
