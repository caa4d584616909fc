import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startScriptedMcp, toolEntry } from '../../support/mcp/start-scripted-mcp.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { newFolder, useShared } from '../../support/suite.js';

const script = fileURLToPath(new URL('../../support/mcp/mcp-stdio-server.mjs', import.meta.url));

describe('tools of MCP servers', () => {
  const root = instructionRootWith({
    BOXER: ['mcp_servers: [box]', 'permissions: {allow: [mcp__box__*]}'],
    ASKER: ['mcp_servers: [box]'],
    SILENT: ['mcp_servers: [mute]'],
  });
  const server = useServer(async () => {
    const file = path.join(root, 'mcp.json');
    const command = process.execPath;
    await writeFile(
      file,
      JSON.stringify({
        mcpServers: {
          box: { command, args: [script], env: { TOKEN: 'planted-secret-token' } },
          mute: { command, args: [script, 'silent'] },
        },
      }),
    );
    return {
      environment: {
        TURNPIKE_INSTRUCTION_ROOT: root,
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_MCP_CONNECT_MS: '5000',
        // No test is about the speed of a start.
        TURNPIKE_MCP_WAIT_MS: '60000',
        TURNPIKE_TOOL_TIMEOUT_MS: '1500',
      },
    };
  });

  const call = (tool: string, input: object = {}): string =>
    `[[tool=mcp__box__${tool} ${JSON.stringify(input)}]]`;

  async function run(persona: string, message: string, opts: object = {}): Promise<StreamReader> {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot, { persona });
    return client.turn(sessionId, message, { opts });
  }

  it('are named to a fork without the turn that called them, and to its model', async () => {
    const stream = await run('BOXER', call('echo', { text: 'hello' }));
    await stream.all();
    const [turnId, sessionId] = [stream.header('x-turn-id'), stream.header('x-session-id')];
    const { body } = await server.client.post(`/api/harness/sessions/${sessionId}/fork`, {
      turnId,
      position: 'before',
    });
    const mcpTools = ['mcp__box__echo'];
    expect(body['filesWritten']).toEqual({ paths: [], more: 0, ranCommands: false, mcpTools });
    const { sessionId: forked } = body['session'] as { sessionId: string };
    await (await server.client.turn(forked, 'Hello')).all();
    expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain(
      'These tools ran there, and may have changed files and what they reach: mcp__box__echo.',
    );
  });

  const resultOf = async (stream: StreamReader) => (await stream.until('tool:result')).data;
  const exitOf = async (stream: StreamReader) => (await stream.all()).at(-1)?.data;

  it('run under the rules of the agent, by names of their server', async () => {
    const stream = await run('BOXER', call('echo', { text: 'hello' }));
    expect(await resultOf(stream)).toMatchObject({ name: 'mcp__box__echo', ok: true });
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    const asked = await run('ASKER', call('echo', { text: 'hello' }));
    expect((await asked.until('approval:request')).data).toMatchObject({ name: 'mcp__box__echo' });
    asked.leave();
  });

  it('are not a stuck turn when their server hangs or dies in a call', async () => {
    const hung = await run('BOXER', call('hang'));
    expect(await resultOf(hung)).toMatchObject({ ok: false, status: 'error' });
    expect(await exitOf(hung)).toEqual({ exitCode: 0 });
    const died = await run('BOXER', call('die'));
    expect(await resultOf(died)).toMatchObject({ ok: false, status: 'error' });
    expect(await exitOf(died)).toEqual({ exitCode: 0 });
    const after = await run('BOXER', call('echo', { text: 'again' }));
    expect(await resultOf(after)).toMatchObject({ ok: true });
    await after.all();
  });

  it('never show a secret of their server', async () => {
    const stream = await run('BOXER', `${call('secret')} ${call('env')}`);
    const frames = await stream.all();
    expect(JSON.stringify(frames)).not.toContain('planted-secret-token');
    expect(JSON.stringify(frames)).not.toContain('sk-ant-test-key-that-is-secret');
    expect(server.logLines.join('')).not.toContain('planted-secret-token');
  });

  it('are missing with a word to the client when their server does not come up', async () => {
    const stream = await run('SILENT', 'Hello');
    const { data } = await stream.until('system:notice');
    expect(data).toMatchObject({ kind: 'mcp-problem', metadata: { server: 'mute' } });
    expect(data['text']).toMatch(
      /^MCP server mute: it did not answer within 5000 ms; its standard error ends with: started with no token; .*it is tried again in the background$/,
    );
    expect(await exitOf(stream)).toEqual({ exitCode: 0 });
    // It is as it was: the session was told, and no turn waits.
    const again = await server.client.turn(stream.header('x-session-id') ?? '', 'Hello again');
    expect((await again.all()).map(({ event }) => event)).not.toContain('system:notice');
  });

  it('stand beside their servers, with the state that turns found these in', async () => {
    const fresh = await startServer({
      environment: { TURNPIKE_MCP_FILE: server.config.mcpFile ?? '' },
    });
    const unused = (await fresh.client.get('/api/harness/tools?limit=1')).body['mcpServers'];
    await fresh.close();
    const facts = {
      kind: 'stdio',
      state: 'unused',
      since: null,
      tools: 0,
      problems: [],
      stderr: [],
    };
    expect(unused).toEqual([
      { name: 'box', ...facts },
      { name: 'mute', ...facts },
    ]);
    const { body } = await server.client.get('/api/harness/tools?limit=1');
    expect(body['mcpServers']).toEqual([
      {
        name: 'box',
        kind: 'stdio',
        state: 'working',
        since: expect.any(String),
        tools: expect.any(Number),
        problems: [],
        stderr: [],
      },
      {
        name: 'mute',
        ...facts,
        state: 'failed',
        since: expect.any(String),
        problems: [expect.stringMatching(/./)],
        stderr: ['started with no token'],
      },
    ]);
  });

  it('are those that a turn lists, where it lists any', async () => {
    await (await run('BOXER', 'Hello', { tools: ['read', 'mcp__box__echo'] })).all();
    const names = (server.modelRequests.at(-1)?.body.tools ?? []).map(({ name }) => name);
    expect(names).toEqual(['read', 'mcp__box__echo']);
    await (await run('BOXER', 'Hello', { tools: ['read'] })).all();
    expect((server.modelRequests.at(-1)?.body.tools ?? []).map(({ name }) => name)).toEqual([
      'read',
    ]);
  });
});

describe('a call of an MCP server that does not answer', () => {
  const mcp = useShared(startScriptedMcp);
  const server = useServer(async () => {
    mcp.tools = [toolEntry('hang')];
    mcp.answer = () => undefined;
    const file = path.join(newFolder(), 'mcp.json');
    const mcpServers = {
      hasty: { url: mcp.url, timeoutMs: 300 },
      patient: { url: mcp.url, timeoutMs: 60_000 },
    };
    await writeFile(file, JSON.stringify({ mcpServers }));
    return { environment: { TURNPIKE_MCP_FILE: file } };
  });

  it.each([
    ['its time is over', 'hasty', async () => undefined],
    [
      'its turn is interrupted',
      'patient',
      (sessionId: string) => server.client.post('/api/harness/interrupt', { sessionId }),
    ],
  ])('is cancelled there when %s', async (_when, name, end) => {
    mcp.bodies.splice(0);
    const allow = [`mcp__${name}__*`];
    const sessionId = await server.client.createSession(server.projectRoot, {
      permissions: { allow },
    });
    const stream = await server.client.turn(sessionId, `[[tool=mcp__${name}__hang {}]]`);
    const sent = (method: string) =>
      mcp.bodies.map((body) => JSON.parse(body)).find((body) => body.method === method);
    await expectSoon(() => expect(sent('tools/call')).toBeDefined());
    await end(sessionId);
    await expectSoon(() => expect(sent('notifications/cancelled')).toBeDefined());
    expect(sent('notifications/cancelled').params.requestId).toBe(sent('tools/call').id);
    await stream.all();
  });
});
