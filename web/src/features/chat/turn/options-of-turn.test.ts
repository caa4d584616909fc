import { describe, expect, it } from '@jest/globals';
import { parsePersona } from '../../../../../test/support/agents/parse-persona.js';
import { freeLimits } from '#src/options/resolve-limits.js';
import { resolveOptions } from '#src/options/resolve-options.js';
import { changedOptions, optionsOfTurn } from './options-of-turn.js';

const persona = parsePersona('P', '---\ntools: [read]\nthinking: true\n---\nPrompt');
const resolve = (opts: Record<string, unknown>) =>
  resolveOptions({
    opts,
    session: { persona: 'P', mode: 'direct', agentConfig: { tokenBudget: 50_000 } },
    persona,
    defaults: {},
    limits: freeLimits({ turnTimeoutMs: 60_000 }),
    wireOnDisconnect: 'continue',
  });

const schema = { type: 'object', properties: { city: { type: 'string' } } };

describe('optionsOfTurn', () => {
  it.each<[string, Record<string, unknown>]>([
    ['none', {}],
    ['an object, as it was asked for', { output: { schema, repairs: 2 } }],
    [
      'tools, thinking and citations',
      { tools: ['read', 'glob'], thinking: false, citations: true },
    ],
    [
      'limits alone of those that were given',
      { maxTurns: 500, agentConfig: { timeout_seconds: 60 } },
    ],
    [
      'skills and the tools of the client',
      {
        skills: ['notes'],
        clientTools: [{ name: 'pick', description: 'Picks.', inputSchema: { type: 'object' } }],
      },
    ],
  ])('gives %s', (_what, opts) => {
    const resolved = resolve(opts);
    expect(resolved.problems).toEqual([]);
    expect(optionsOfTurn(resolved)).toEqual(opts);
  });

  it('leaves out what is of the moment, and what was not used', () => {
    const opts = { onBusy: 'enqueue', onDisconnect: 'cancel', tools: 'all', wrong: 1 };
    expect(optionsOfTurn(resolve(opts))).toEqual({});
  });

  it('names the model that was asked for, where another one went on', () => {
    const { options, provenance } = resolve({ model: 'claude-opus-4-8' });
    const fellBack = { ...options, model: 'other', fallbackFrom: options.model };
    expect(optionsOfTurn({ options: fellBack, provenance })).toEqual({ model: options.model });
  });
});

describe('changedOptions', () => {
  it('gives what is not as it was, and undefined for what is gone', () => {
    const before = { thinking: { effort: 'low' }, citations: false, model: 'a' };
    const now = { thinking: { effort: 'high' }, citations: false };
    expect(changedOptions(before, now)).toEqual({ thinking: { effort: 'high' }, model: undefined });
    expect(changedOptions(before, { ...before })).toEqual({});
  });
});
