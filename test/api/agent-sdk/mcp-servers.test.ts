import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { connect, type Options } from '../../../src/agent-sdk/connect.js';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { startMcpHttp } from '../../support/mcp/start-mcp-http.js';
import { collect, outputsOf } from '../../support/agent-sdk/read-query.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const stdio = fileURLToPath(new URL('../../support/mcp/mcp-stdio-server.mjs', import.meta.url));

describe('MCP servers of a query that Turnpike connects to', () => {
  const http = useShared(() => startMcpHttp());
  const server = useServer(() => ({
    environment: {
      TURNPIKE_MCP_SESSION_STDIO: 'true',
      TURNPIKE_MCP_HOSTS: `127.0.0.1:${http.port}`,
      TURNPIKE_MCP_PRIVATE_HOSTS: `127.0.0.1:${http.port}`,
    },
  }));
  const closed = useServer();
  const run = async (url: string, prompt: string, options: Options): Promise<string[]> => {
    const sdk = connect(new TurnpikeClient({ url }));
    return outputsOf(await collect(sdk.query({ prompt, options })));
  };

  it('run over stdio and http, by the rules of the query', async () => {
    const headers = { Authorization: 'Bearer right-one' };
    const outputs = await run(
      server.url,
      '[[tool=mcp__web__headers {}]] [[tool=mcp__local__echo {"text":"from stdio"}]]',
      {
        cwd: server.projectRoot,
        mcpServers: {
          web: { type: 'http', url: http.url, headers },
          local: { command: process.execPath, args: [stdio] },
        },
        allowedTools: ['mcp__web', 'mcp__local__echo'],
      },
    );
    expect(outputs).toEqual([
      expect.stringContaining('"accept"'),
      expect.stringContaining('from stdio'),
    ]);
  });

  it('are seen by hooks first', async () => {
    const seen: unknown[] = [];
    const outputs = await run(server.url, '[[tool=mcp__local__echo {"text":"from stdio"}]]', {
      cwd: server.projectRoot,
      mcpServers: { local: { command: process.execPath, args: [stdio] } },
      allowedTools: ['mcp__local'],
      hooks: { PreToolUse: [{ hooks: [(input) => (seen.push(input.tool_name), {})] }] },
    });
    expect([seen, outputs]).toEqual([
      ['mcp__local__echo'],
      [expect.stringContaining('from stdio')],
    ]);
  });

  it('are refused where the operator does not let sessions have them', async () => {
    const options = {
      cwd: closed.projectRoot,
      mcpServers: { local: { command: process.execPath, args: [stdio] } },
    };
    await expect(run(closed.url, 'Hello', options)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('TURNPIKE_MCP_SESSION_STDIO'),
    });
  });
});
