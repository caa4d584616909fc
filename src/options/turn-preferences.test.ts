import { describe, expect, it } from '@jest/globals';
import { preferencesOf } from './preferences-store.js';

describe('preferencesOf', () => {
  it('has nothing of a user who set nothing, but on the oracle’s wire', () => {
    expect(preferencesOf({}, { isOracle: false })).toEqual({});
    expect(preferencesOf({}, { isOracle: true })).toEqual({
      thinking: true,
      contextNodes: 30,
      subagents: { timeoutSeconds: 1_200 },
    });
  });

  const all = {
    oracle_model: 'a',
    subagent_model: 'b',
    thinking_enabled: false,
    librarian_timeout: 60,
    max_context_nodes: 5,
  };
  const everywhere = {
    thinking: false,
    contextNodes: 5,
    subagents: { model: 'b', timeoutSeconds: 60 },
  };

  it('has what was set on every wire, the oracle’s model on its own', () => {
    expect(preferencesOf(all, { isOracle: false })).toEqual(everywhere);
    expect(preferencesOf(all, { isOracle: true })).toEqual({ ...everywhere, model: 'a' });
  });

  it('takes what is valid no more for what was not set', () => {
    const stored = { ...all, subagent_model: '', librarian_timeout: 59, max_context_nodes: '5' };
    expect(preferencesOf(stored, { isOracle: false })).toEqual({ thinking: false });
  });
});
