import { describe, expect, it } from '@jest/globals';
import { agentConfigFields } from '../governance/decision-tree/agent-config.js';
import { freeLimits, resolveLimits, type LimitSources } from './resolve-limits.js';

const fallback = freeLimits({ turnTimeoutMs: 90_000 });

const resolve = (sources: Partial<LimitSources>) =>
  resolveLimits({
    opts: undefined,
    maxTurns: undefined,
    session: {},
    persona: {},
    user: {},
    instructions: {},
    fallback,
    ...sources,
  });

describe('resolveLimits', () => {
  it('takes each field from the first tier that has it', () => {
    const { config, provenance, problems } = resolve({
      opts: { max_iterations: 1 },
      session: { maxIterations: 2, softWarningPercent: 52 },
      persona: { maxIterations: 3, softWarningPercent: 53, tokenBudget: 3_000 },
      user: { tokenBudget: 4_000, tokenWarningPercent: 64 },
      instructions: { tokenWarningPercent: 65, timeoutSeconds: 50 },
    });
    expect(config).toEqual({
      ...fallback,
      maxIterations: 1,
      softWarningPercent: 52,
      tokenBudget: 3_000,
      tokenWarningPercent: 64,
      timeoutSeconds: 50,
    });
    expect(provenance).toEqual({
      maxIterations: 'opts',
      softWarningPercent: 'session',
      tokenBudget: 'persona',
      tokenWarningPercent: 'user',
      timeoutSeconds: 'instructions',
      maxToolCallsPerTurn: 'default',
      maxParallelTools: 'default',
    });
    expect(problems).toEqual([]);
  });

  it('lets opts.maxTurns stand for the iterations, beyond the bounds too', () => {
    const { config, provenance } = resolve({ opts: { max_iterations: 3 }, maxTurns: 100 });
    expect([config.maxIterations, provenance.maxIterations]).toEqual([100, 'opts']);
  });

  it.each(agentConfigFields)('bounds $wireName', ({ name, wireName, min, max }) => {
    for (const value of [min, max]) {
      expect(resolve({ opts: { [wireName]: value } }).config[name]).toBe(value);
    }
    for (const value of [min - 1, max + 1, min + 0.5, `${min}`, null, NaN]) {
      const { config, provenance, problems } = resolve({
        opts: { [wireName]: value },
        user: { [name]: min },
      });
      expect([config[name], provenance[name]]).toEqual([min, 'user']);
      expect(problems.map(({ message }) => message)).toEqual([
        `${wireName} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`,
      ]);
    }
  });

  it.each([undefined, null, 3, 'max_iterations', []])('ignores %j for a configuration', (opts) => {
    expect(resolve({ opts }).config).toEqual(fallback);
  });
});
