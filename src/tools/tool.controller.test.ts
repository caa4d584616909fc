import { describe, expect, it } from '@jest/globals';
import { openTestMcp, stdioServer, turnOf } from '../../test/support/mcp/open-test-mcp.js';
import { ToolRegistry } from './registry.js';
import type { ToolDefinition } from './tool.js';
import { ToolController } from './tool.controller.js';

const tool = (name: string): ToolDefinition => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: 'object' },
  effect: 'read',
  retry: 'safe',
  open: () => ({ run: async () => '' }),
});

describe('the list of tools', () => {
  const none = { listKnown: () => [], listServers: () => [] };

  it('has each once, by name, however many at a time', () => {
    const names = ['c', 'a', 'B', 'd', 'a_b'];
    const list = new ToolController(new ToolRegistry(names.map(tool)), none, {
      serverTools: [],
    });
    for (const limit of [1, 2, 5, 6]) {
      const all: string[] = [];
      for (let cursor: string | undefined; ;) {
        const { tools, nextCursor } = list.listTools({ cursor, limit });
        expect(tools.length).toBeLessThanOrEqual(limit);
        all.push(...tools.map(({ name }) => name));
        cursor = nextCursor;
        if (cursor === undefined) break;
      }
      expect(all).toEqual(['B', 'a', 'a_b', 'c', 'd']);
    }
    expect(list.listTools({ limit: 1 }).tools).toEqual([
      {
        name: 'B',
        description: 'Does B',
        effect: 'read',
        retry: 'safe',
        inputSchema: { type: 'object' },
        source: 'builtin',
      },
    ]);
  });

  it('refuses an empty page token', () => {
    const list = new ToolController(new ToolRegistry([]), none, { serverTools: [] });
    expect(() => list.listTools({ cursor: '', limit: 1 })).toThrow(/'cursor' must be/);
  });

  it('has the tools of MCP servers once a turn has used them, and those of no session', async () => {
    const servers = {
      box: stdioServer('plain', { sessionEnv: ['TOKEN'] }),
      mine: stdioServer('plain', { perSession: true }),
    };
    const mcp = await openTestMcp({ servers });
    const list = new ToolController(new ToolRegistry([tool('read')]), mcp, { serverTools: [] });
    const names = () => list.listTools({ limit: 200 }).tools.map(({ name }) => name);
    expect(names()).toEqual(['read']);
    const ofSession = await turnOf(mcp, {
      mcpServers: { box: { env: { TOKEN: 'secret-token' } } },
    });
    expect(names()).toEqual(['read']);
    await ofSession.close();
    const opened = await turnOf(mcp);
    expect(names()).toEqual([
      ...opened.tools
        .map(({ name }) => name)
        .filter((name) => name.startsWith('mcp__box__'))
        .toSorted(),
      'read',
    ]);
    const listed = list.listTools({ limit: 1 }).tools[0];
    expect(listed).toMatchObject({ source: 'mcp', effect: 'command', retry: 'never' });
    await opened.close();
    await mcp.close();
  });
});
