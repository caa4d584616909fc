import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { and, eq, isNotNull } from 'drizzle-orm';
import { dataKeys } from '../../../src/storage/governance-schema.js';
import { turns } from '../../../src/storage/schema.js';
import { toolCalls } from '../../../src/storage/transcript-schema.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { masterKeyFile, newMasterKey } from '../../support/access/master-keys.js';
import { expectSoon } from '../../support/expect-soon.js';
import { tablesWith } from '../../support/find-text.js';
import { startMcpHttp, type McpHttp } from '../../support/mcp/start-mcp-http.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { newStore, type TestStore } from '../../support/database/test-store.js';
import { newFolder } from '../../support/suite.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { startReceiver, verify, type Receiver } from '../../support/webhooks/start-receiver.js';

const [a, b] = [newMasterKey(), newMasterKey()];
const token = 'right-planted-token';
const callMcp = '[[tool=mcp__docs__headers {}]]';

describe('secrets at rest', () => {
  let store: TestStore;
  let receiver: Receiver;
  let mcp: McpHttp;
  const [folder, project] = [newFolder(), newFolder()];
  const root = instructionRootWith({
    LEAD: ['subagents: [TASKER]', 'AGENT_TYPE: 1'],
    TASKER: ['AGENT_TYPE: 2', 'AGENT_CLASS: TASK', 'description: Does tasks.'],
  });
  const file = masterKeyFile([]);
  beforeAll(async () => {
    [store, receiver, mcp] = [await newStore(), await startReceiver(), await startMcpHttp()];
    const headers = { Authorization: 'Bearer wrong' };
    const servers = { mcpServers: { docs: { url: mcp.url, headers } } };
    await writeFile(path.join(folder, 'mcp.json'), JSON.stringify(servers));
  });
  afterAll(async () => {
    await receiver.close();
    await mcp.close();
    await store.close();
  });

  /** Starts a server on the store. @param keys of its file of master keys; none: it has no file. */
  const start = async (...keys: string[]): Promise<TestServer> =>
    startServer({
      store,
      environment: {
        TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*',
        TURNPIKE_MCP_FILE: path.join(folder, 'mcp.json'),
        TURNPIKE_INSTRUCTION_ROOT: root,
        TURNPIKE_ENABLE_SUBAGENTS: 'true',
        ...(keys.length === 0 ? {} : { TURNPIKE_MASTER_KEY_FILE: masterKeyFile(keys, file) }),
      },
    });
  const withServer = async (
    keys: readonly string[],
    act: (server: TestServer, client: KeyedClient) => Promise<void>,
  ): Promise<void> => {
    const server = await start(...keys);
    try {
      await act(server, new KeyedClient(server.url, key));
    } finally {
      await server.close();
    }
  };
  let key: string | undefined;
  let webhook: { id: string; secret: string };
  let sessionId: string;

  const post = async (client: KeyedClient, to: string, body: unknown = {}) => {
    const answer = await client.send('POST', to, body);
    if (![200, 202].includes(answer.status)) throw new Error(`${to}: ${answer.text}`);
    return answer.body;
  };
  const makeWebhook = async (client: KeyedClient) => {
    const made = await post(client, '/api/harness/webhooks', { url: receiver.url });
    const { id } = made['webhook'] as { id: string };
    return { id, secret: String(made['secret']) };
  };
  const makeSession = async (client: KeyedClient, more: Record<string, unknown> = {}) => {
    const made = await post(client, '/api/harness/session/create', {
      ...more,
      projectRoot: project,
      permissions: { allow: ['mcp__docs__*'] },
      mcpServers: { docs: { headers: { Authorization: `Bearer ${token}` } } },
    });
    return (made['session'] as { sessionId: string }).sessionId;
  };
  /** A test delivery of the webhook that each of the secrets signs. */
  const expectSigned = async (client: KeyedClient, ...secrets: string[]): Promise<void> => {
    // Deliveries of turns before, signed as they were then, may still come.
    const tests = () => receiver.received.filter(({ body }) => body.type === 'webhook.test');
    const before = tests().length;
    await post(client, `/api/harness/webhooks/${webhook.id}/test`);
    await expectSoon(() => expect(tests().length).toBeGreaterThan(before));
    const sent = tests().at(-1);
    if (sent === undefined) throw new Error('Nothing was sent');
    for (const secret of secrets) expect(verify(sent, secret)).toEqual(sent.body);
  };
  /** A turn that the MCP server takes the session's credentials in. */
  const expectCalled = async (client: KeyedClient, of: string): Promise<string> => {
    const answer = await client.send('POST', '/api/harness/turn', {
      sessionId: of,
      message: callMcp,
    });
    expect(answer.text).toContain('tool:result');
    expect(answer.text).toMatch(/"name":"mcp__docs__headers"[^\n]*"ok":true/);
    expect(answer.text).not.toContain(token);
    return answer.headers.get('x-turn-id') ?? '';
  };
  const expectNowhere = async ({ db }: TestServer): Promise<void> => {
    expect(await tablesWith(db, token)).toEqual([]);
    expect(await tablesWith(db, webhook.secret.slice('whsec_'.length, -1))).toEqual([]);
  };

  it('are stored in plain text without master keys, and sealed by a rotation', async () => {
    await withServer([], async (server, client) => {
      webhook = await makeWebhook(client);
      sessionId = await makeSession(client);
      await expectCalled(client, sessionId);
      expect(await tablesWith(server.db, token)).toEqual(['sessions']);
      expect(await server.db.$count(dataKeys)).toBe(0);
    });
    await withServer([a], async (server, client) => {
      await expectSigned(client, webhook.secret);
      await expectCalled(client, sessionId);
      const scopes = ['turns', 'approvals', 'admin'];
      key = (await makeKey(server, { principal: 'local', scopes })).secret;
      expect(await server.db.$count(dataKeys)).toBe(0);
    });
    await withServer([a], async (server, client) => {
      const rotated = await post(client, '/api/admin/master-key/rotate');
      expect(rotated).toMatchObject({ wrapped: 0, sealed: 2 });
      await expectNowhere(server);
      await expectSigned(client, webhook.secret);
      await expectCalled(client, sessionId);
    });
  });

  it('serve right after a restart, a change of the first key, a rotation and the end of the old key', async () => {
    for (const keys of [[a], [b, a]]) {
      await withServer(keys, async (_server, client) => {
        await expectSigned(client, webhook.secret);
        await expectCalled(client, sessionId);
      });
    }
    await withServer([b, a], async (server, client) => {
      expect(await post(client, '/api/admin/master-key/rotate')).toMatchObject({ wrapped: 1 });
      await expectSigned(client, webhook.secret);
      await expectCalled(client, sessionId);
      await expectNowhere(server);
      const { body } = await client.send('GET', '/api/admin/audit?limit=1000');
      expect(JSON.stringify(body)).toContain('master-key.rotated');
    });
    await withServer([b], async (_server, client) => {
      await expectSigned(client, webhook.secret);
      await expectCalled(client, sessionId);
    });
  });

  const startAndClose = (...keys: string[]) => withServer(keys, async () => {});

  it('let no server start that cannot open them, which says what to do', async () => {
    await expect(startAndClose(a)).rejects.toThrow(
      /^The database has secrets under the master key [0-9a-f]{16}, which TURNPIKE_MASTER_KEY_FILE lacks: /,
    );
    await expect(startAndClose()).rejects.toThrow(
      /^The database has secrets under the master key [0-9a-f]{16}, and TURNPIKE_MASTER_KEY_FILE is not set: /,
    );
    await expect(startAndClose(b.slice(0, 12))).rejects.toThrow(
      /:1: the line is not 32 bytes in base64/,
    );
  });

  it('stay sealed where they are made, rotated and copied', async () => {
    await withServer([b], async (server, client) => {
      const older = webhook.secret;
      const rotated = await post(client, `/api/harness/webhooks/${webhook.id}/rotate`);
      webhook = { ...webhook, secret: String(rotated['secret']) };
      await expectSigned(client, webhook.secret, older);
      expect(await tablesWith(server.db, older.slice('whsec_'.length, -1))).toEqual([]);
      const made = await makeSession(client);
      const turnId = await expectCalled(client, made);
      const fork = await post(client, `/api/harness/sessions/${made}/fork`, {
        turnId,
        position: 'after',
      });
      await expectCalled(client, (fork['session'] as { sessionId: string }).sessionId);
      const other = await makeWebhook(client);
      expect(await tablesWith(server.db, other.secret.slice('whsec_'.length, -1))).toEqual([]);
      await expectNowhere(server);
      expect(server.logLines.join('')).not.toContain(token);
    });
  });

  it('are sealed anew for a subagent, which calls with them', async () => {
    await withServer([b], async (server, client) => {
      const lead = await makeSession(client, { persona: 'LEAD' });
      const prompt = JSON.stringify({ agent: 'TASKER', prompt: callMcp });
      const subagentGovernance = {
        contextSealed: true,
        pipelineRunApproved: true,
        approvalRef: 'CHG-1',
      };
      const { text } = await client.send('POST', '/api/harness/turn', {
        sessionId: lead,
        message: `[[tool=task ${prompt}]]`,
        opts: { subagentGovernance },
      });
      expect(text).toContain('subagent:end');
      const calls = await server.db
        .select({ status: toolCalls.status })
        .from(toolCalls)
        .innerJoin(turns, eq(turns.id, toolCalls.turnId))
        .where(and(isNotNull(turns.parentTurnId), eq(toolCalls.name, 'mcp__docs__headers')));
      expect(calls).toEqual([{ status: 'success' }]);
      await expectNowhere(server);
    });
  });

  it('are in no export, sealed or not', async () => {
    await withServer([b], async (_server, client) => {
      const { status, text } = await client.send('GET', '/api/admin/export');
      expect(status).toBe(200);
      expect(text).toContain(sessionId);
      expect(text).not.toContain('sealed:');
      expect(text).not.toContain(token);
      expect(text).not.toContain('mcpServers');
      // Nor does an import take any.
      const { text: own } = await client.send('GET', `/api/admin/export?sessionId=${sessionId}`);
      const { status: deleted } = await client.send('DELETE', `/api/harness/session/${sessionId}`);
      expect(deleted).toBe(200);
      const forged = own.replace('"projectRoot":', '"mcpServers":{},"projectRoot":');
      expect(forged).not.toBe(own);
      const imported = await fetch(`${client.url}/api/admin/import`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
        body: forged,
      });
      expect([imported.status, await imported.text()]).toEqual([
        400,
        expect.stringContaining('IMPORT_INVALID'),
      ]);
    });
  });

  it('go with their principal, whose data key is destroyed', async () => {
    await withServer([b], async (server, client) => {
      expect(await server.db.$count(dataKeys)).toBe(1);
      const { status } = await client.send('DELETE', '/api/admin/principals/local');
      expect(status).toBe(200);
      expect(await server.db.$count(dataKeys)).toBe(0);
    });
    await withServer([a], async () => {});
  });
});
