import { describe, expect, it } from '@jest/globals';
import { parsePersona } from '../../test/support/agents/parse-persona.js';
import type { Persona } from './parse-agent-file.js';

function persona(...lines: string[]): Persona {
  return parsePersona('P', ['---', ...lines, '---', 'Prompt'].join('\n'));
}

describe('mcp_servers of an agent', () => {
  it('is absent where the file says nothing', () => {
    expect(persona('max_turns: 1')).not.toHaveProperty('mcpServers');
  });

  it('is a list of names', () => {
    expect(persona('mcp_servers: [github, docs]')).toMatchObject({
      mcpServers: { named: ['github', 'docs'], own: {} },
      problems: [],
    });
    expect(persona('mcp_servers: []').mcpServers).toEqual({ named: [], own: {} });
  });

  it('is a map of definitions', () => {
    const { mcpServers, problems } = persona(
      'mcp_servers:',
      '  docs: { url: "https://mcp.example.com/mcp" }',
      '  box: { command: box, args: [-v] }',
    );
    expect(problems).toEqual([]);
    expect(mcpServers).toMatchObject({
      named: [],
      own: { docs: { kind: 'http' }, box: { kind: 'stdio', args: ['-v'] } },
    });
  });

  it('is none at all where something is wrong in it, which is named by its line', () => {
    const { mcpServers, problems } = persona(
      'mcp_servers:',
      '  box: { command: box }',
      '  docs:',
      '    url: mcp.example.com',
    );
    expect(mcpServers).toEqual({ named: [], own: {} });
    expect(problems).toEqual([
      { line: 5, message: 'mcp_servers.docs.url must be a URL, https://host/path' },
    ]);
  });

  it.each([
    ['mcp_servers: github', 'mcp_servers must be a list of names or a map, for example [github]'],
    ['mcp_servers: [1]', 'mcp_servers.0 must be the name of a server, not 1'],
  ])('refuses %s', (line, fault) => {
    const { mcpServers, problems } = persona(line);
    expect(mcpServers).toEqual({ named: [], own: {} });
    expect(problems).toEqual([{ line: 2, message: expect.stringContaining(fault) }]);
  });
});
