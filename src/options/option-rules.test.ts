import { describe, expect, it } from '@jest/globals';
import { parsePersona } from '../../test/support/agents/parse-persona.js';
import { chooseModel, choosePersona } from './option-rules.js';

describe('choosePersona', () => {
  it.each([
    [{ persona: ' EDITOR ' }, 'P', { value: 'EDITOR', from: 'opts' }],
    [{ persona: '' }, 'P', { value: 'P', from: 'session' }],
    [{ persona: 3 }, 'P', { value: 'P', from: 'session' }],
    [undefined, ' P ', { value: 'P', from: 'session' }],
    ['EDITOR', 'P', { value: 'P', from: 'session' }],
    [{}, ' ', { value: 'WORKING_ITEMS', from: 'default' }],
    [{ persona: '../x' }, 'P', { value: '../x', from: 'opts' }],
  ])('%j over %j', (opts, sessionPersona, expected) => {
    expect(choosePersona(opts, sessionPersona)).toEqual(expected);
  });
});

describe('chooseModel', () => {
  it.each([
    [{ opts: { model: 'a' } }, 'a', 'b'],
    [{ asAgent: true }, 'p', 'b'],
    [{}, 'b', 'b'],
    [{ defaults: { agentsModel: 'c' } }, 'c', 'c'],
    [{ defaults: {} }, 'claude-sonnet-5-5', 'claude-sonnet-5-5'],
  ])('is named by the first tier that has it: %j', (sources, named, standard) => {
    const defaults = { environmentModel: 'b', agentsModel: 'c' };
    const persona = parsePersona('P', '---\nmodel: p\n---\nPrompt');
    const chosen = chooseModel({ opts: undefined, persona, defaults, ...sources });
    expect([chosen.named.value, chosen.standard]).toEqual([named, standard]);
  });
});
