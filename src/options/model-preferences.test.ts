import { describe, expect, it } from '@jest/globals';
import { viewAgentConfig, viewPreferences } from './preferences-store.js';

const limits = {
  max_iterations: 15,
  soft_warning_percent: 70,
  token_budget: 50_000,
  token_warning_percent: 80,
  timeout_seconds: 120,
  max_tool_calls_per_turn: 5,
  max_parallel_tools: 3,
};
const others = {
  oracle_model: 'env-model',
  subagent_model: 'env-model',
  thinking_enabled: true,
  librarian_timeout: 1_200,
  max_context_nodes: 30,
};

describe('viewAgentConfig', () => {
  it.each([
    ['nothing', {}, {}],
    ['some fields', { max_iterations: 3 }, { max_iterations: 3 }],
    ['fields that are valid no more', { max_iterations: 51, token_budget: 'x' }, {}],
    ['other fields', { oracle_model: 'a', unknown: 1 }, {}],
  ])('is whole where a row has %s', (_what, stored, shown) => {
    expect(viewAgentConfig(stored)).toEqual({ ...limits, ...shown });
  });
});

describe('viewPreferences', () => {
  it.each([
    ['nothing', {}, {}],
    ['some fields', { thinking_enabled: false, timeout_seconds: 10 }, {}],
    ['a model', { oracle_model: 'a' }, {}],
    ['fields that are valid no more', { librarian_timeout: 59 }, { librarian_timeout: 1_200 }],
    ['a model that is none', { subagent_model: '' }, { subagent_model: 'env-model' }],
  ])('is whole where a row has %s', (_what, stored, shown) => {
    expect(viewPreferences(stored, 'env-model')).toEqual({
      ...others,
      ...limits,
      ...stored,
      ...shown,
    });
  });

  it('shows preferences alone', () => {
    expect(viewPreferences({ unknown: 1 }, 'env-model')).not.toHaveProperty('unknown');
  });
});
