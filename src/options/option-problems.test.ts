import { describe, expect, it } from '@jest/globals';
import { parsePersona } from '../../test/support/agents/parse-persona.js';
import { freeLimits } from './resolve-limits.js';
import { describeProblems } from './option-problems.js';
import { unusedFields } from './unused-fields.js';
import { resolveOptions } from './resolve-options.js';

const describeFor = (opts: unknown) =>
  describeProblems(
    resolveOptions({
      opts,
      session: { persona: 'P', mode: 'direct' },
      persona: parsePersona('P', '---\ntools: [grep]\n---\nPrompt'),
      defaults: { environmentModel: 'env-model' },
      limits: freeLimits({ turnTimeoutMs: 60_000 }),
    }).problems,
  );

const known =
  'agentConfig, attachmentsAs, citations, clientTools, fallbackModel, fallbackModels, maxCostUsd, maxTokens, maxTurns, memory, mode, model, onBusy, onDisconnect, output, persona, priority, prompt, replaces, skills, subagentGovernance, thinking, tools';

describe('describeProblems', () => {
  it.each([
    [{}, undefined],
    [[], 'opts ignored: must be an object; using defaults'],
    [
      { maxTurns: 0 },
      'opts.maxTurns ignored: must be an integer greater than 0; using 12 (default)',
    ],
    [{ tools: 'x' }, 'opts.tools ignored: must be an array of strings; using ["grep"] (persona)'],
    [
      { model: 1 },
      'opts.model ignored: must be text of 1 to 200 characters; using env-model (environment)',
    ],
    [
      { mode: '' },
      'opts.mode ignored: must be text of 1 to 200 characters; using direct (session)',
    ],
    [
      { onDisconnect: 1 },
      'opts.onDisconnect ignored: must be "cancel" or "continue"; using cancel (default)',
    ],
    [{ foo: 1 }, `opts.foo ignored: unknown option; known are ${known}`],
    [{ 'a\nb': 1 }, `opts.a b ignored: unknown option; known are ${known}`],
    [
      { ['k'.repeat(62)]: 1 },
      `opts.${'k'.repeat(60)}… ignored: unknown option; known are ${known}`,
    ],
  ])('%j', (opts, text) => {
    expect(describeFor(opts)).toBe(text);
  });

  it.each([
    ['maxCostUsd', '5', 'a number of dollars greater than 0'],
    ['maxTokens', 'x', 'an integer greater than 0'],
    ['skills', 'pdf', 'an array of strings'],
  ])('refuses a bound of the turn that is none: %s', (name, value, expected) => {
    expect(() => describeFor({ [name]: value })).toThrow(`'opts.${name}' must be ${expected}.`);
    expect(describeFor({ [name]: null })).toContain(`opts.${name} ignored`);
  });

  it('gives each problem a line, ten at most', () => {
    const lines = (count: number) =>
      describeFor(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1])))?.split(
        '\n',
      );
    expect(lines(10)).toHaveLength(10);
    expect(lines(12)).toHaveLength(11);
    expect(lines(12)?.at(-1)).toBe('2 more ignored');
    expect(lines(1_000)).toHaveLength(11);
    expect(lines(1_000)?.at(-1)).toBe('990 more ignored');
  });
});

describe('unusedFields', () => {
  const known = ['message', 'opts'];

  it('are those of the body that the route does not take, and that are there', () => {
    const body = { message: 'a', opts: {}, oppts: {}, none: null, ['a\nb']: 1 };
    const reason = 'this route takes message, opts';
    expect(unusedFields(body, known)).toEqual([
      { kind: 'without-effect', key: 'oppts', reason },
      { kind: 'without-effect', key: 'a\nb', reason },
    ]);
    expect(unusedFields('text', known)).toEqual([]);
  });

  it.each(['permissions', 'permision', 'PERMISSIONS', 'per-missions', 'toolPermissions'])(
    'are no rules: %s',
    (name) => {
      expect(() => unusedFields({ [name]: {} }, known)).toThrow(`no field "${name}"`);
    },
  );

  it.each(['perms', 'mission', 'mode', 'x'.repeat(10_000)])(
    'may be anything else: %.10s',
    (name) => {
      expect(unusedFields({ [name]: {} }, [...known, 'permissions'])).toHaveLength(1);
    },
  );
});
