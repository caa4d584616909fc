import { describe, expect, it } from '@jest/globals';
import { recordedMcpTools } from './open-servers.js';

const spec = (name: string) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object', properties: {} },
});
const names = ['read', 'mcp__github__search', 'mcp__docs__find__all', 'mcp__mine__act'];
const listed = names.map(spec);
const ofSession = { mine: {} };
const namesFor = (...given: Parameters<typeof recordedMcpTools>) =>
  recordedMcpTools(...given).map(({ name }) => name);

describe('recordedMcpTools', () => {
  it('are the listed ones of the agent’s and the session’s servers', () => {
    const agent = { mcpServers: { named: ['docs'], own: {} } };
    expect(namesFor(listed, ofSession, agent)).toEqual(['mcp__docs__find__all', 'mcp__mine__act']);
  });

  it('are all listed ones where the agent names no servers', () => {
    expect(namesFor(listed, ofSession, {})).toEqual(names.slice(1));
  });

  it('are none where nothing was sent yet', () => {
    expect(namesFor([], null, {})).toEqual([]);
  });

  it('are offered as they were', () => {
    expect(recordedMcpTools(listed, ofSession, {})[0]).toMatchObject(spec('mcp__github__search'));
  });
});
