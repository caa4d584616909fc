import { describe, expect, it } from '@jest/globals';
import {
  changingServers,
  directive,
  lastRequest,
  runTurn,
} from '../../support/mcp/changing-servers.js';
import { useServer, type TestServer } from '../../support/processes/start-server.js';

const opts = { thinking: true };

/** System prompt and tools of the last request, as they were sent. */
function prefixOf(server: TestServer): { system: string; tools: string } {
  const { system, tools } = lastRequest(server);
  return { system: JSON.stringify(system), tools: JSON.stringify(tools) };
}

describe('tools that an MCP server changes between turns', () => {
  const server = useServer({ environment: changingServers() });
  const become = (name: string, names: string[]): string =>
    directive(`tool=mcp__${name}__become`, { names });
  const toldOf = (): string => JSON.stringify(lastRequest(server).messages);

  async function begin(persona: 'FEW' | 'MANY', message: string): Promise<string> {
    const sessionId = await server.client.createSession(server.projectRoot, { persona });
    const { end } = await runTurn(server, sessionId, message, opts);
    expect(end).toMatchObject({ outcome: 'completed' });
    return sessionId;
  }

  const run = async (sessionId: string, message: string) => {
    const turn = await runTurn(server, sessionId, message, opts);
    expect(turn.end).toMatchObject({ outcome: 'completed' });
    return turn;
  };

  it('change no byte that was sent, and are told of, until a summary or the next session', async () => {
    const sessionId = await begin('FEW', become('few', ['one:Is another one', 'three']));
    const before = prefixOf(server);
    const { results } = await run(sessionId, directive('tool=mcp__few__two'));
    expect(prefixOf(server)).toEqual(before);
    expect(results).toMatchObject([
      { status: 'error', output: expect.stringContaining('no longer has this tool') },
    ]);
    expect(toldOf()).toContain('MCP servers have new tools: mcp__few__three. They are listed once');
    expect(toldOf()).toContain('no longer have these tools, and calls to them fail: mcp__few__two');
    expect(toldOf()).toContain('mcp__few__one has another definition from here on');
    // The announcement named a tool that is not listed: a call of it runs all the same.
    const unlisted = await run(sessionId, directive('tool=mcp__few__three'));
    expect(unlisted.results).toMatchObject([{ status: 'success', output: 'three was called' }]);
    expect(prefixOf(server)).toEqual(before);
    expect(toldOf().match(/has another definition/g)).toHaveLength(1);

    await server.client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    await run(sessionId, 'Hello');
    const { tools } = prefixOf(server);
    expect(tools).toContain('"name":"mcp__few__three"');
    expect(tools).toContain('Is another one');
    expect(tools).not.toContain('"name":"mcp__few__two"');
    expect(toldOf()).not.toContain('MCP servers have new tools');
  });

  it('are told of as the turns of the conversation were told: after an edit, a regenerated reply and a fork', async () => {
    const isGone = 'no longer have these tools, and calls to them fail: mcp__few__two';
    const isBack = 'MCP servers have these tools again: mcp__few__two';
    const counts = (): number[] => [isGone, isBack].map((text) => toldOf().split(text).length - 1);
    const replace = async (replaces: string, message: string): Promise<string> => {
      const { turnId, end } = await runTurn(server, sessionId, message, { ...opts, replaces });
      expect(end).toMatchObject({ outcome: 'completed' });
      return turnId ?? '';
    };
    const sessionId = await begin('FEW', become('few', ['one']));
    const toldGone = await run(sessionId, become('few', ['one', 'two']));
    expect(counts()).toEqual([1, 0]);
    const toldBack = await run(sessionId, 'Hello');
    expect(counts()).toEqual([1, 1]);
    const again = await replace(toldBack.turnId ?? '', 'Hello');
    expect(counts()).toEqual([1, 1]);
    await replace(again, 'Something else');
    expect(counts()).toEqual([1, 1]);
    await run(sessionId, 'Hello');
    expect(counts()).toEqual([1, 1]);

    const { body } = await server.client.post(`/api/harness/sessions/${sessionId}/fork`, {
      turnId: toldGone.turnId,
      position: 'after',
    });
    const fork = String((body['session'] as { sessionId: unknown }).sessionId);
    await run(fork, 'Hello');
    expect(counts()).toEqual([1, 1]);
    await run(fork, 'Hello');
    expect(counts()).toEqual([1, 1]);
  });

  it('are told of as gone where they came after the first turn, and once', async () => {
    const sessionId = await begin('FEW', become('few', ['one', 'two', 'three']));
    await run(sessionId, become('few', ['one', 'two']));
    expect(toldOf()).toContain('MCP servers have new tools: mcp__few__three.');
    await run(sessionId, directive('tool=mcp__few__three'));
    await run(sessionId, 'Hello');
    const isGone = /no longer have these tools, and calls to them fail: mcp__few__three/g;
    expect(toldOf().match(isGone)).toHaveLength(1);
  });

  it('are deferred at the end of the list where the provider searches', async () => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `t${index + 1}:Turns wheel ${index + 1}`,
    );
    const sessionId = await begin('MANY', become('many', [...names, 'new:Is a horn']));
    const before = prefixOf(server);
    await run(sessionId, '[[think=2]]');
    const find = directive('server=tool_search_tool_bm25', { query: 'horn' });
    const { results } = await run(sessionId, `${find} ${directive('tool=mcp__many__new')}`);
    const { system, tools } = prefixOf(server);
    expect(system).toBe(before.system);
    expect(tools.startsWith(before.tools.slice(0, -1))).toBe(true);
    expect(results).toMatchObject([{ output: 'mcp__many__new' }, { output: 'new was called' }]);
    expect(toldOf()).toContain('new tools: mcp__many__new. The tool search finds them.');
    await run(sessionId, 'Hello');
    expect(prefixOf(server)).toEqual({ system, tools });
    expect(toldOf()).toContain('"type":"thinking"');
  });
});

describe('a permission mode that a turn was told of', () => {
  const server = useServer();

  it('is told of again where the prefix is made anew with another one, and where a summary took the notice', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const say = async (mode: string, tools: string[]): Promise<string[]> => {
      const { end } = await runTurn(server, sessionId, 'Hello', { mode, tools });
      expect(end).toMatchObject({ outcome: 'completed' });
      const text = JSON.stringify(lastRequest(server).messages);
      return [...text.matchAll(/The permission mode is (\w+) from here on/g)].map(
        ([, told]) => told ?? '',
      );
    };
    expect(await say('direct', ['read'])).toEqual([]);
    expect(await say('plan', ['read'])).toEqual(['plan']);
    // A tool that no turn had makes the prefix anew: its prompt names the mode, and the notice stands after it.
    expect(await say('direct', ['read', 'grep'])).toEqual(['plan', 'direct']);
    expect(await say('plan', ['read', 'grep'])).toEqual(['plan', 'direct', 'plan']);
    await server.client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    expect(await say('plan', ['read', 'grep'])).toEqual(['plan']);
    expect(await say('plan', ['read', 'grep'])).toEqual(['plan']);
  });
});
