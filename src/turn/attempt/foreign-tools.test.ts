import { testTurn } from '../../../test/support/tools/test-turn.js';
import { describe, expect, it } from '@jest/globals';
import { knownModels, unknownModel } from '../../provider/models/known-models.js';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import type { ClientTool, ServerTool } from '../../storage/shapes/stored-options.js';
import {
  chooseServerTools,
  clientToolHidden,
  leaveOutServerTools,
  openClientTools,
  recordedMcpTools,
  type ServerToolQuestion,
} from './foreign-tools.js';

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
    expect(opened.hidden).toEqual(['mcp__box__echo']);
    expect(clientToolHidden('mcp__box__echo')).toMatchObject({
      kind: 'client-tool-hidden',
      text: expect.stringContaining('mcp__box__echo is not offered'),
      seenByModel: false,
    });
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

const spec = (name: string) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: {} },
});
const names = ['read', 'mcp__github__search', 'mcp__docs__find__all', 'mcp__mine__act'];
const prefix: RequestPrefix = {
  system: '',
  tools: names.map(spec),
  mode: 'direct',
  told: { mode: 'direct', off: [] },
};
const session = { prefix, mcpServers: { mine: {} } };
const namesFor = (...given: Parameters<typeof recordedMcpTools>) =>
  recordedMcpTools(...given).map(({ name }) => name);

describe('recordedMcpTools', () => {
  it('are the listed ones of the agent’s and the session’s servers', () => {
    const agent = { mcpServers: { named: ['docs'], own: {} } };
    expect(namesFor(session, agent)).toEqual(['mcp__docs__find__all', 'mcp__mine__act']);
  });

  it('are all listed ones where the agent names no servers', () => {
    expect(namesFor(session, {})).toEqual(names.slice(1));
  });

  it('are none where nothing was sent yet', () => {
    expect(namesFor({ prefix: null, mcpServers: null }, {})).toEqual([]);
  });

  it('are offered as they were', () => {
    expect(recordedMcpTools(session, {})[0]).toMatchObject(spec('mcp__github__search'));
  });
});

it('tools of the provider are left out, each named once with the reason', () => {
  expect(leaveOutServerTools(['read', 'web_search', 'web_search'])).toEqual({
    serverTools: [],
    missing: [{ name: 'web_search', reason: expect.stringContaining('replay') }],
  });
});
