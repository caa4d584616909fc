import { testTurn } from '../../../test/support/tools/test-turn.js';
import { describe, expect, it } from '@jest/globals';
import { knownModels, unknownModel } from '../../provider/models/known-models.js';
import type { ClientTool, ServerTool } from '../../storage/shapes/stored-options.js';
import {
  chooseServerTools,
  leaveOutServerTools,
  openClientTools,
  type ServerToolQuestion,
} from './own-sources.js';

describe('tools of the client', () => {
  const tool = (name: string): ClientTool => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
  });
  const tools = [tool('pick'), tool('mcp__box__echo')];

  it('are offered where an MCP server has no tool of their name', () => {
    const opened = openClientTools(tools, new Set(['mcp__box__echo']));
    expect(opened.tools.map(({ name }) => name)).toEqual(['pick']);
    expect(opened.notices).toMatchObject([
      {
        kind: 'client-tool-hidden',
        text: expect.stringContaining('mcp__box__echo is not offered'),
        seenByModel: false,
      },
    ]);
  });

  it('are described as they came, checked, and never run here', () => {
    const [pick] = openClientTools(tools, new Set()).tools;
    expect(pick).toMatchObject({ ...tool('pick'), effect: 'read', retry: 'safe' });
    expect(pick?.checkInput({ n: 1 })).toEqual({ ok: true, input: { n: 1 } });
    expect(pick?.checkInput({ n: 'x' })).toMatchObject({ ok: false });
    expect(() => pick?.open({ turn: testTurn, workdir: '/' })).toThrow('does not run here');
  });
});

const model = knownModels.find(({ id }) => id === 'claude-sonnet-5-5') ?? unknownModel('x');
const allowed: ServerTool[] = [{ name: 'web_search', maxUses: 2 }, { name: 'code_execution' }];
const layer = { name: 'A', mode: 'direct', named: [], agent: {} };
const rules = { layers: [layer], server: {}, session: {} };

function choose(change: Partial<ServerToolQuestion>) {
  const asked = ['read', 'web_search', 'web_fetch', 'code_execution'];
  const question = { asked, allowed, model, within: undefined, rules, ...change };
  const { tools, notices } = chooseServerTools(question);
  return [tools.map(({ name }) => name), notices.map(({ metadata }) => metadata?.['tool'])];
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

it('tools of the provider are left out of a replay, each named once with the reason', () => {
  expect(leaveOutServerTools(['read', 'web_search', 'web_search'])).toMatchObject([
    { metadata: { tool: 'web_search' }, text: expect.stringContaining('replay') },
  ]);
});
