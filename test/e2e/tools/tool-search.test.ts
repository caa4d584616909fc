import { describe, expect, it } from '@jest/globals';
import {
  changingServers,
  directive,
  lastRequest,
  runTurn,
} from '../../support/mcp/changing-servers.js';
import { startServer, useServer, type TestServer } from '../../support/processes/start-server.js';

const find = (query: string): string => directive('server=tool_search_tool_bm25', { query });
const call = (name: string, input: object = {}, rest = ''): string =>
  directive(`tool=mcp__many__${name}`, input, rest);
const found = { name: 'tool_search', status: 'success', output: expect.stringMatching(/__t7$/m) };

const sentTools = (server: TestServer) => lastRequest(server).tools ?? [];
const namesOf = (tools: ReturnType<typeof sentTools>): string[] => tools.map(({ name }) => name);

describe('MCP tools of which a turn has many', () => {
  const server = useServer({ environment: changingServers() });
  const create = (persona = 'MANY', on: TestServer = server): Promise<string> =>
    on.client.createSession(on.projectRoot, { persona });

  it('are deferred behind the search of the provider, but those that are not to be', async () => {
    await runTurn(server, await create(), 'Hello');
    const sent = sentTools(server);
    const at = sent.findIndex(({ name }) => name === 'tool_search_tool_bm25');
    expect(sent[at]).toEqual({
      type: 'tool_search_tool_bm25_20251119',
      name: 'tool_search_tool_bm25',
    });
    expect(sent.slice(at + 1).every((tool) => tool.defer_loading === true)).toBe(true);
    expect(namesOf(sent.slice(at + 1))).toEqual(
      [1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 'become'].map((end) =>
        typeof end === 'number' ? `mcp__many__t${end}` : `mcp__many__${end}`,
      ),
    );
    expect(namesOf(sent.slice(0, at))).toContain('mcp__many__t2');
    expect(JSON.stringify(lastRequest(server).system)).toContain('a search finds those of');
  });

  it('are sent as ever where there are few', async () => {
    await runTurn(server, await create('FEW'), 'Hello');
    const sent = sentTools(server);
    expect(sent.some((tool) => tool.defer_loading !== undefined)).toBe(false);
    expect(namesOf(sent)).not.toContain('tool_search_tool_bm25');
    expect(JSON.stringify(lastRequest(server).system)).not.toContain('a search finds');
  });

  it('are found and called, over later turns, forks and a summary', async () => {
    const sessionId = await create();
    const opts = { thinking: true };
    const first = await runTurn(server, sessionId, `${find('wheel 7')} ${call('t7')}`, opts);
    expect(first.results).toMatchObject([
      found,
      { name: 'mcp__many__t7', output: 't7 was called' },
    ]);
    const reply = JSON.stringify(lastRequest(server).messages[1]?.content);
    expect(reply).toContain('{"type":"tool_reference","tool_name":"mcp__many__t7"}');
    expect(reply).toContain('"caller":{"type":"direct"}');
    const { tools, messages } = lastRequest(server);
    const second = await runTurn(server, sessionId, call('t7'), opts);
    expect(second.end).toMatchObject({ outcome: 'completed' });
    expect(JSON.stringify(lastRequest(server).tools)).toBe(JSON.stringify(tools));
    expect(lastRequest(server).messages[1]).toEqual(messages[1]);

    const { body } = await server.client.post(`/api/harness/sessions/${sessionId}/fork`, {
      turnId: first.turnId,
      position: 'after',
    });
    const forked = String((body['session'] as { sessionId: unknown }).sessionId);
    const inFork = await runTurn(server, forked, call('t7'), opts);
    expect([inFork.end, inFork.results]).toMatchObject([
      { outcome: 'completed' },
      [{ status: 'success' }],
    ]);

    await server.client.post(`/api/harness/sessions/${sessionId}/compact`, {});
    const summed = await runTurn(server, sessionId, `${find('wheel 7')} ${call('t7')}`, opts);
    expect(summed.results).toMatchObject([found, { status: 'success' }]);
    expect(JSON.stringify(lastRequest(server).tools)).toBe(JSON.stringify(tools));
  });

  it('go through the rules and approvals by their own names', async () => {
    const sessionId = await create('ASKER');
    const stream = await server.client.turn(sessionId, `${find('wheel 7')} ${call('t7')}`);
    const { data } = await stream.until('approval:request');
    expect(data).toMatchObject({ name: 'mcp__many__t7' });
    await server.client.post(`/api/harness/approvals/${String(data['approvalId'])}`, {
      decision: 'approve',
    });
    const frames = await stream.all();
    const results = frames.filter(({ event }) => event === 'tool:result').map((one) => one.data);
    expect(results).toContainEqual(expect.objectContaining({ output: 't7 was called' }));
  });

  it('run under their rules where the model calls one by its name without a search', async () => {
    const { results, end } = await runTurn(server, await create(), call('t7', { text: 'x' }));
    expect([results, end]).toMatchObject([
      [{ name: 'mcp__many__t7', status: 'success', output: 't7 was called' }],
      { outcome: 'completed' },
    ]);
    const wrong = await runTurn(server, await create(), call('t7', { text: 7 }));
    expect([wrong.results, wrong.end]).toMatchObject([
      [{ name: 'mcp__many__t7', status: 'error', output: expect.stringContaining('text') }],
      { outcome: 'completed' },
    ]);
    const stream = await server.client.turn(await create('ASKER'), call('t7'));
    const { data } = await stream.until('approval:request');
    expect(data).toMatchObject({ name: 'mcp__many__t7' });
    await server.client.post(`/api/harness/approvals/${String(data['approvalId'])}`, {
      decision: 'deny',
    });
    expect(await stream.until('tool:result')).toMatchObject({ data: { status: 'denied' } });
    await stream.all();
  });

  it('are found after a restart, in a turn that a pause of the provider cut in two', async () => {
    const first = await startServer({ environment: changingServers() });
    const sessionId = await create('MANY', first);
    const paused = `[[stop=pause_turn]] ${find('wheel 7')}`;
    expect((await runTurn(first, sessionId, paused)).end).toMatchObject({ outcome: 'completed' });
    await first.stop();
    const environment = {
      TURNPIKE_MCP_FILE: first.config.mcpFile ?? '',
      TURNPIKE_INSTRUCTION_ROOT: first.config.instructionRoot,
    };
    const second = await startServer({ store: first.store, environment });
    const turn = await runTurn(second, sessionId, call('t7'));
    expect([turn.end, turn.results]).toMatchObject([
      { outcome: 'completed' },
      [{ output: 't7 was called' }],
    ]);
    expect(JSON.stringify(lastRequest(second).messages)).toContain('tool_search_tool_result');
    await second.close();
    await first.close();
  });

  it('that are gone with a new prefix take their references with them', async () => {
    const sessionId = await create();
    await runTurn(server, sessionId, `${find('wheel 7')} ${call('t7')}`);
    const { end } = await runTurn(server, sessionId, 'Hello', { persona: 'FEW' });
    expect(end).toMatchObject({ outcome: 'completed' });
    expect(JSON.stringify(lastRequest(server).messages)).not.toContain('tool_search_tool_result');
  });
});

describe('MCP tools of a provider without a search', () => {
  const server = useServer({
    environment: changingServers({ TURNPIKE_PROVIDER_PROFILE: 'compatible' }),
  });
  const use = (tool: string, input: object, rest = ''): string =>
    directive('tool=use_tool', { tool, input }, rest);

  it('are found by find_tools, and called by their own names', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, { persona: 'MANY' });
    const { results, dataOf, turnId } = await runTurn(
      server,
      sessionId,
      `${directive('tool=find_tools', { query: 'the seventh wheel 7' })} ${use('mcp__many__t7', { text: 'x' }, ' step=2')}`,
    );
    expect(results).toMatchObject([
      { name: 'find_tools', output: expect.stringContaining('{"tool":"mcp__many__t7"') },
      { name: 'mcp__many__t7', output: 't7 was called' },
    ]);
    expect(dataOf('tool:request').map(({ name }) => name)).toEqual(['find_tools', 'mcp__many__t7']);
    const { body } = await server.client.get(`/api/harness/turns/${turnId}/tools`);
    expect(JSON.stringify(body)).toContain('"mcp__many__t7"');
    const sent = namesOf(sentTools(server));
    expect(sent).toEqual(expect.arrayContaining(['find_tools', 'use_tool', 'mcp__many__t2']));
    expect(sent).not.toContain('mcp__many__t7');
    expect(JSON.stringify(lastRequest(server).messages)).toContain(
      '"name":"use_tool","input":{"tool":"mcp__many__t7","input":{"text":"x"}}',
    );
  });

  it('run where the model calls one by its own name, and go back to it by that name', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, { persona: 'MANY' });
    const { results, end } = await runTurn(server, sessionId, call('t7', { text: 'x' }));
    expect([results, end]).toMatchObject([
      [{ name: 'mcp__many__t7', status: 'success', output: 't7 was called' }],
      { outcome: 'completed' },
    ]);
    expect(JSON.stringify(lastRequest(server).messages)).toContain(
      '"name":"mcp__many__t7","input":{"text":"x"}',
    );
  });

  it('are answered with what to do where use_tool names none of them', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, { persona: 'MANY' });
    const { results, end } = await runTurn(server, sessionId, use('t7', {}));
    expect([results, end]).toMatchObject([
      [{ name: 'use_tool', status: 'error', output: expect.stringContaining('Find the tool') }],
      { outcome: 'completed' },
    ]);
  });
});
