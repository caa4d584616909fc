import { describe, expect, it } from '@jest/globals';
import type { RequestPrefix } from '../../storage/shapes/sent-request.js';
import { leaveOutServerTools, recordedMcpTools } from './replay-tools.js';

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
