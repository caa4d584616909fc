import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { webhookDeliveries } from '../../../src/storage/automation-schema.js';
import { SessionExporter } from '../../../src/features/portability/session-exporter.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { startMcpHttp } from '../../support/mcp/start-mcp-http.js';
import { useServer } from '../../support/processes/start-server.js';
import { startHook } from '../../support/tools/start-hook.js';
import { storeEndpoint } from '../../support/webhooks/store-endpoint.js';
import { useShared } from '../../support/suite.js';

describe('what a turn does beyond its session, a replay of it does not', () => {
  const root = instructionRootWith({
    CALLER: [
      'tools: [glob, web_search]',
      'mcp_servers: [far]',
      'permissions: {allow: [mcp__far__*]}',
    ],
  });
  const hook = useShared(startHook);
  const mcp = useShared(() => startMcpHttp());
  const server = useServer(async () => {
    const file = path.join(root, 'mcp.json');
    const far = { url: mcp.url, headers: { Authorization: 'Bearer right-one' } };
    await writeFile(file, JSON.stringify({ mcpServers: { far } }));
    return {
      environment: {
        ...hook.environment,
        TURNPIKE_INSTRUCTION_ROOT: root,
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_SERVER_TOOLS: 'web_search',
      },
    };
  });
  const client = useShared(() => new TurnpikeClient({ url: server.url }));
  beforeAll(async () => {
    await storeEndpoint(server.db, { events: ['turn.started', 'turn.ended'] });
  });

  it('runs no tool', async () => {
    const clientTools = [{ name: 'pick', description: 'Picks', inputSchema: { type: 'object' } }];
    const sessionId = await server.client.createSession(server.projectRoot, { persona: 'CALLER' });
    const file = path.join(server.projectRoot, 'once.txt');
    const write = JSON.stringify({ file_path: file, content: 'once' });
    const message = `Do it [[tool=write ${write}]] [[tool=mcp__far__headers {} step=2]]`;
    const opts = { tools: ['write', 'mcp__far'], mode: 'acceptEdits', memory: true, clientTools };
    const turn = await server.client.turn(sessionId, message, { opts });
    await turn.all();
    expect(await readFile(file, 'utf8')).toBe('once');
    await rm(file);
    const asked = hook.about('write').length;
    const replay = await client.turns.replay(turn.header('x-turn-id'));
    await (await server.client.follow(replay.turnId)).all();
    expect([existsSync(file), hook.about('write').length]).toEqual([false, asked]);
  });

  it('asks no hook, opens no MCP server, uses no tool of the provider, and tells no webhook', async () => {
    const sessionId = await server.client.createSession(server.projectRoot, { persona: 'CALLER' });
    const message = 'Look [[tool=glob {"pattern":"*"}]] [[tool=mcp__far__headers {} step=2]]';
    const turn = await server.client.turn(sessionId, message);
    await turn.all();
    const turnId = turn.header('x-turn-id');
    const asked = hook.about('glob').length;
    expect(asked).toBe(1);
    const offered = server.modelRequests.at(-1)?.body.tools?.map((tool) => tool['name']);
    expect(offered).toEqual(expect.arrayContaining(['glob', 'mcp__far__headers', 'web_search']));
    await mcp.close();
    const replay = await client.turns.replay(turnId);
    const frames = await (await server.client.follow(replay.turnId)).all();
    const { right } = await client.turns.compare(turnId, replay.turnId);
    expect(right).toMatchObject({ outcome: 'completed', recorded: { hits: 2, misses: 0 } });
    expect(hook.about('glob')).toHaveLength(asked);
    const names = server.modelRequests.at(-1)?.body.tools?.map((tool) => tool['name']);
    expect(names).toEqual(offered?.filter((name) => name !== 'web_search'));
    const notices = frames.filter(({ event }) => event === 'system:notice');
    expect(notices.map(({ data }) => data['kind'])).toEqual(['server-tool-missing']);
    expect(notices[0]?.data['text']).toContain('web_search: it is a replay');
    const deliveries = await server.db.select().from(webhookDeliveries);
    const about = deliveries.map((delivery) => delivery.turnId);
    expect([about.includes(turnId), about.includes(replay.turnId)]).toEqual([true, false]);
  });

  it('is exported with no other session, nor by itself', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const turn = await server.client.turn(sessionId, 'Hello');
    await turn.all();
    const replay = await client.turns.replay(turn.header('x-turn-id'));
    await (await server.client.follow(replay.turnId)).all();
    let all = '';
    for await (const line of await server
      .get<SessionExporter>(SessionExporter)
      .open({}, { id: 'local' })) {
      all += line;
    }
    expect([all.includes(sessionId), all.includes(replay.sessionId)]).toEqual([true, false]);
    const alone = await server.client.get(`/api/harness/sessions/${replay.sessionId}/export`);
    expect(alone).toMatchObject({
      status: 400,
      body: { error: { type: 'INVALID_REQUEST', message: expect.stringContaining('fork') } },
    });
  });
});
