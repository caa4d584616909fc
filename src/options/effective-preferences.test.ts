import { describe, expect, it } from '@jest/globals';
import { freeLimits } from './resolve-limits.js';
import { resolvePreferences, type ServerDefaults } from './effective-preferences.js';

const server: ServerDefaults = {
  limits: freeLimits({ turnTimeoutMs: 3_600_000 }),
  options: { environmentModel: 'claude-server' },
};

function find(name: string, stored: Record<string, unknown> = {}, from = server) {
  const found = resolvePreferences(stored, from).find((one) => one.name === name);
  if (found === undefined) throw new Error(`There is no ${name}`);
  const { harness, oracle } = found.effective;
  return { saved: found.saved, harness, oracle };
}

describe('resolvePreferences', () => {
  it.each<[string, unknown, unknown]>([
    ['max_iterations', 12, 15],
    ['token_budget', null, 50_000],
    ['timeout_seconds', 3_600, 120],
    ['max_tool_calls_per_turn', 128, 5],
    ['max_parallel_tools', 4, 3],
    ['oracle_model', 'claude-server', 'claude-server'],
    ['subagent_model', null, null],
    ['thinking_enabled', false, true],
    ['librarian_timeout', null, 1_200],
    ['max_context_nodes', null, 30],
  ])('of a user who set nothing: %s', (name, harness, oracle) => {
    const found = find(name);
    expect([found.saved, found.harness.value, found.oracle.value]).toEqual([null, harness, oracle]);
  });

  it('of saved values is in force on every wire, but for the model of the oracle', () => {
    const user = (value: unknown) => ({ value, from: 'user' });
    for (const [name, value] of [
      ['max_iterations', 3],
      ['token_budget', 1_000],
      ['thinking_enabled', false],
      ['subagent_model', 'claude-x'],
    ] as const) {
      expect(find(name, { [name]: value })).toEqual({
        saved: value,
        harness: user(value),
        oracle: user(value),
      });
    }
    const { saved, harness, oracle } = find('oracle_model', { oracle_model: 'claude-x' });
    expect(saved).toBe('claude-x');
    expect(oracle).toEqual(user('claude-x'));
    expect(harness).toEqual({ value: 'claude-server', from: 'environment' });
  });

  it('is by the instruction root where the user says nothing', () => {
    const options = { agentsConfig: { maxIterations: 7 }, agentsModel: 'claude-root' };
    const from = { ...server, options };
    expect(find('max_iterations', {}, from).oracle).toEqual({ value: 7, from: 'instructions' });
    expect(find('oracle_model', {}, from).harness).toEqual({
      value: 'claude-root',
      from: 'instructions',
    });
  });

  it('passes over what is stored and no longer valid', () => {
    expect(find('max_iterations', { max_iterations: 99 })).toMatchObject({
      saved: null,
      harness: { value: 12, from: 'default' },
    });
  });
});
