import { describe, expect, it } from '@jest/globals';
import { knownModels, unknownModel } from '../../provider/models/known-models.js';
import type { ServerTool } from '../../storage/shapes/stored-options.js';
import { chooseServerTools, type ServerToolQuestion } from './server-tools.js';

const model = knownModels.find(({ id }) => id === 'claude-sonnet-5-5') ?? unknownModel('x');
const allowed: ServerTool[] = [{ name: 'web_search', maxUses: 2 }, { name: 'code_execution' }];
const layer = { name: 'A', mode: 'direct', named: [], agent: {} };
const rules = { layers: [layer], server: {}, session: {} };

function choose(change: Partial<ServerToolQuestion>) {
  const asked = ['read', 'web_search', 'web_fetch', 'code_execution'];
  const question = { asked, allowed, model, within: undefined, rules, ...change };
  const { serverTools, missing } = chooseServerTools(question);
  return [serverTools.map(({ name }) => name), missing.map(({ name }) => name)];
}

describe('chooseServerTools', () => {
  it.each<[string, Partial<ServerToolQuestion>, string[], string[]]>([
    ['what is asked for and allowed', {}, ['web_search', 'code_execution'], ['web_fetch']],
    ['nothing that nobody asked for', { asked: ['read'] }, [], []],
    [
      'nothing to a model that has none',
      { model: unknownModel('x') },
      [],
      ['web_search', 'web_fetch', 'code_execution'],
    ],
    [
      'what the parent of a subagent has',
      { within: ['web_search'] },
      ['web_search'],
      ['web_fetch'],
    ],
    [
      'nothing that a rule of the server denies',
      { rules: { ...rules, server: { deny: ['web_*'] } } },
      ['code_execution'],
      ['web_search', 'web_fetch'],
    ],
    [
      'nothing that a rule of the session asks about, in whatever words',
      { rules: { ...rules, session: { ask: ['code_execution(rm *)'] } } },
      ['web_search'],
      ['web_fetch', 'code_execution'],
    ],
    [
      'nothing that an agent above denies',
      { rules: { ...rules, layers: [{ ...layer, agent: { deny: ['*'] } }, layer] } },
      [],
      ['web_search', 'web_fetch', 'code_execution'],
    ],
  ])('gives %s', (_what, change, given, missing) => {
    expect(choose(change)).toEqual([given, missing]);
  });
});
