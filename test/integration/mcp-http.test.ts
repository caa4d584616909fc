import { afterEach, describe, expect, it } from '@jest/globals';
import { callMcp, openTestMcp, turnOf, type TestMcpOptions } from '../support/mcp/open-test-mcp.js';
import { startMcpHttp } from '../support/mcp/start-mcp-http.js';
import type { Mcp } from '../../src/tools/mcp/mcp.js';
import { useShared } from '../support/suite.js';

const good = { Authorization: 'Bearer right-0123456789' };

describe('an MCP server over HTTP', () => {
  const server = useShared(startMcpHttp);

  const opened: Mcp[] = [];
  afterEach(async () => {
    for (const mcp of opened.splice(0)) await mcp.close();
  });
  async function open(options: TestMcpOptions = {}): Promise<Mcp> {
    const mcp = await openTestMcp(options);
    opened.push(mcp);
    return mcp;
  }
  const withServer = (rest: object = { headers: good }): TestMcpOptions => ({
    servers: { web: { type: 'http', url: server.url, ...rest } },
  });
  async function reasonsOf(options: TestMcpOptions): Promise<string[]> {
    const { tools, problems } = await turnOf(await open(options));
    expect(tools).toEqual([]);
    return problems.map(({ reason }) => reason);
  }

  it('gets its headers with every request', async () => {
    const turn = await turnOf(await open(withServer()));
    expect(turn.tools.map(({ name }) => name)).toEqual(['mcp__web__headers', 'mcp__web__hang']);
    const seen = JSON.parse(await callMcp(turn, 'mcp__web__headers')) as Record<string, string>;
    expect(seen['mcp-protocol-version']).toMatch(/^\d{4}-/);
    expect(seen['authorization']).toBe('[REDACTED_API_KEY]');
  });

  it('that does not take the credentials is a problem, and nothing of them is told', async () => {
    const headers = { Authorization: 'Bearer wrong-0123456789' };
    expect(await reasonsOf(withServer({ headers }))).toEqual([
      'it answered HTTP 401: not taken: [REDACTED_API_KEY]; check the credentials in its headers',
    ]);
  });

  it('that hangs is left at once', async () => {
    const turn = await turnOf(await open(withServer()));
    const stop = new AbortController();
    const call = callMcp(turn, 'mcp__web__hang', {}, { signal: stop.signal });
    stop.abort(new Error('the turn ended'));
    await expect(call).rejects.toThrow('the turn ended');
  });

  it('that breaks off in a call is a tool error, and serves the next one', async () => {
    const turn = await turnOf(await open(withServer()));
    const call = callMcp(turn, 'mcp__web__hang');
    call.catch(() => undefined);
    await callMcp(turn, 'mcp__web__headers');
    server.breakConnections();
    await expect(call).rejects.toThrow('it ended, or its connection did, before it answered');
    expect(await callMcp(turn, 'mcp__web__headers')).toContain('authorization');
  });

  it('that forgot the session is asked again in a new one', async () => {
    const turn = await turnOf(await open(withServer()));
    const before = server.sessions();
    server.forget();
    expect(await callMcp(turn, 'mcp__web__headers')).toContain('authorization');
    expect(server.sessions()).toBe(before + 1);
  });

  it('that cannot be reached is a problem', async () => {
    const gone = await startMcpHttp();
    await gone.close();
    expect(await reasonsOf({ servers: { web: { url: gone.url } } })).toEqual([
      'its connection failed (ECONNREFUSED); it is tried again in the background',
    ]);
  });

  it('is not followed to another host', async () => {
    const url = server.url.replace('/mcp', '/moved');
    expect(await reasonsOf({ servers: { web: { url, headers: good } } })).toEqual([
      'it answered HTTP 307; it is tried again in the background',
    ]);
  });

  it('is not reached at an address that is not public', async () => {
    expect(await reasonsOf({ servers: { web: { url: 'https://10.0.0.1/mcp' } } })).toEqual([
      'its host is at an address that is not public; the operator lists those that may be, with their ports, in TURNPIKE_MCP_PRIVATE_HOSTS',
    ]);
  });

  it('is one that a session brings, where its host is allowed', async () => {
    const mcp = await open({ settings: { mcpHosts: [`127.0.0.1:${server.port}`] } });
    const mcpServers = { mine: { url: server.url, headers: good } };
    const { tools, problems } = await turnOf(mcp, { mcpServers });
    expect(problems).toEqual([]);
    expect(tools.map(({ name }) => name)).toEqual(['mcp__mine__headers', 'mcp__mine__hang']);
  });
});
