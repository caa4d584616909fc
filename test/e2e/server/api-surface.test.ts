import { describe, expect, it } from '@jest/globals';
import { serve } from '../../../src/app/serve.js';
import { packageVersion } from '../../../src/platform/process/package-root.js';
import { systemClock, type Clock } from '../../../src/platform/clock.js';
import { silentLogger } from '../../support/silent-logger.js';
import { OPENED_DATABASE, type OpenedDatabase } from '../../../src/storage/connection.js';
import { RENEW_MS } from '../../../src/turn/lifecycle/presence.js';
import { asDocument } from '../../support/document/api-document.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

describe('the server beside its turns', () => {
  const server = useServer({ environment: { TURNPIKE_LOG_LEVEL: 'info' } });

  it('is healthy, and ready when database, queue and log answer', async () => {
    const health = await server.client.get('/health');
    expect([health.status, health.body]).toEqual([
      200,
      {
        status: 'healthy',
        agent_name: 'WORKING_ITEMS',
        agent_ready: true,
        active_sessions: 0,
        schedule_late_seconds: 0,
        uptime_seconds: expect.any(Number),
        version: packageVersion,
      },
    ]);
    const ready = await server.client.get('/ready');
    expect([ready.status, ready.body]).toEqual([
      200,
      {
        ready: true,
        checks: {
          database: 'ok',
          queue: 'ok',
          log: 'ok',
          // Of a process that has folders.
          ...(server.store.environment['DATABASE_URL'] === undefined && { disk: 'ok' }),
        },
      },
    ]);
  });

  it('listens no longer where its start fails half-way', async () => {
    const other = await startServer();
    await other.stop();
    let listened = false;
    const clock: Clock = {
      ...systemClock,
      after: (ms, callback) => {
        // The timer of the server's reader presence is the first that is set after it listens.
        if (ms !== RENEW_MS) return systemClock.after(ms, callback);
        listened = true;
        throw new Error('no timers are left');
      },
    };
    const config = { ...other.config, port: Number(new URL(other.url).port) };
    const starting = serve({ config, environment: {}, clock, logger: silentLogger });
    await expect(starting).rejects.toThrow('no timers are left');
    expect(listened).toBe(true);
    await expect(fetch(`${other.url}/health`)).rejects.toThrow('fetch failed');
    await other.close();
  });

  it('says what does not answer when it is not ready', async () => {
    const other = await startServer();
    await other.get<OpenedDatabase>(OPENED_DATABASE).close();
    const { status, body } = await other.client.get('/ready');
    expect([status, body]).toEqual([
      503,
      {
        ready: false,
        checks: expect.objectContaining({
          database: expect.not.stringMatching(/^ok$/),
          queue: 'ok',
          log: 'ok',
        }),
      },
    ]);
    const health = await other.client.get('/health');
    expect([health.status, health.body['status']]).toEqual([503, 'unhealthy']);
    expect((await other.client.get('/health/agent')).status).toBe(503);
    const answer = await other.client.get(
      '/api/harness/session/sess_00000000-0000-4000-8000-000000000000',
    );
    expect([answer.status, answer.body['error']]).toEqual([
      503,
      expect.objectContaining({ type: 'STORAGE_UNAVAILABLE' }),
    ]);
    expect(answer.headers.get('retry-after')).toBe('5');
    await other.close().catch(() => undefined);
  });

  it('describes every route, its errors and its stream', async () => {
    const { body } = await server.client.get('/docs-json');
    const { paths } = asDocument(body);
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(routes.sort()).toEqual([
      'delete /api/admin/keys/{id}',
      'delete /api/admin/mcp/clients',
      'delete /api/admin/principals/{principal}',
      'delete /api/admin/principals/{principal}/access',
      'delete /api/harness/mcp/logins/{id}',
      'delete /api/harness/memory/{agent}',
      'delete /api/harness/memory/{agent}/file',
      'delete /api/harness/schedules/{key}',
      'delete /api/harness/session/{id}',
      'delete /api/harness/tokens/{principal}',
      'delete /api/harness/turns/{id}/feedback/{key}',
      'delete /api/harness/webhooks/{id}',
      'delete /api/oracle/history',
      'delete /sessions/{session_id}',
      'delete /v1/responses/{id}',
      'get /agent/{name}/ag-ui/{turnId}',
      'get /agent/{name}/chat/stream/{messageId}',
      'get /agents',
      'get /api/admin/audit',
      'get /api/admin/export',
      'get /api/admin/keys',
      'get /api/admin/principals/{principal}',
      'get /api/admin/queue',
      'get /api/admin/turns',
      'get /api/admin/turns/{id}',
      'get /api/admin/turns/{id}/log',
      'get /api/chat/{id}',
      'get /api/chat/{id}/stream',
      'get /api/chats',
      'get /api/harness/approvals',
      'get /api/harness/approvals/{id}',
      'get /api/harness/attachments/{id}',
      'get /api/harness/awaited-approvals',
      'get /api/harness/awaited-approvals/{id}',
      'get /api/harness/feedback',
      'get /api/harness/login',
      'get /api/harness/mcp/logins',
      'get /api/harness/me',
      'get /api/harness/memory',
      'get /api/harness/memory/{agent}',
      'get /api/harness/memory/{agent}/file',
      'get /api/harness/models',
      'get /api/harness/schedules',
      'get /api/harness/schedules/{key}',
      'get /api/harness/schedules/{key}/runs',
      'get /api/harness/schedules/{key}/upcoming',
      'get /api/harness/session/defaults',
      'get /api/harness/session/list',
      'get /api/harness/session/{id}',
      'get /api/harness/sessions',
      'get /api/harness/sessions/{id}/export',
      'get /api/harness/sessions/{id}/messages',
      'get /api/harness/sessions/{id}/project-files',
      'get /api/harness/sessions/{id}/prompts',
      'get /api/harness/sessions/{id}/skills',
      'get /api/harness/sessions/{id}/todos',
      'get /api/harness/sessions/{id}/turns',
      'get /api/harness/skills',
      'get /api/harness/tools',
      'get /api/harness/turns',
      'get /api/harness/turns/{id}',
      'get /api/harness/turns/{id}/compare',
      'get /api/harness/turns/{id}/events',
      'get /api/harness/turns/{id}/feedback',
      'get /api/harness/turns/{id}/log',
      'get /api/harness/turns/{id}/replays',
      'get /api/harness/turns/{id}/steps',
      'get /api/harness/turns/{id}/tools',
      'get /api/harness/usage',
      'get /api/harness/usage/days',
      'get /api/harness/webhooks',
      'get /api/harness/webhooks/{id}',
      'get /api/harness/webhooks/{id}/deliveries',
      'get /api/oracle/history',
      'get /api/settings/agent-config',
      'get /api/settings/effective',
      'get /api/settings/models',
      'get /health',
      'get /health/agent',
      'get /live',
      'get /metrics',
      'get /ready',
      'get /v1/models',
      'get /v1/models/{id}',
      'get /v1/responses/{id}',
      'get /v1/responses/{id}/input_items',
      'patch /api/admin/keys/{id}',
      'patch /api/harness/schedules/{key}',
      'patch /api/harness/session/{id}',
      'patch /api/harness/webhooks/{id}',
      'post /agent/{name}/ag-ui',
      'post /agent/{name}/chat',
      'post /agent/{name}/chat/multipart',
      'post /agent/{name}/chat/stream',
      'post /agent/{name}/chat/stream/multipart',
      'post /api/admin/import',
      'post /api/admin/keys',
      'post /api/admin/master-key/rotate',
      'post /api/admin/tools/start',
      'post /api/admin/tools/try',
      'post /api/chat',
      'post /api/chat/{id}/stop',
      'post /api/harness/approvals/{id}',
      'post /api/harness/approvals/{id}/authorize',
      'post /api/harness/attachments',
      'post /api/harness/awaited-approvals/{id}',
      'post /api/harness/interrupt',
      'post /api/harness/mcp/logins',
      'post /api/harness/mcp/logins/callback',
      'post /api/harness/schedules/{key}/pause',
      'post /api/harness/schedules/{key}/resume',
      'post /api/harness/schedules/{key}/trigger',
      'post /api/harness/session/boot',
      'post /api/harness/session/create',
      'post /api/harness/sessions/{id}/compact',
      'post /api/harness/sessions/{id}/fork',
      'post /api/harness/tokens',
      'post /api/harness/turn',
      'post /api/harness/turns/{id}/interrupt',
      'post /api/harness/turns/{id}/replay',
      'post /api/harness/webhooks',
      'post /api/harness/webhooks/{id}/deliveries/{deliveryId}/redeliver',
      'post /api/harness/webhooks/{id}/rotate',
      'post /api/harness/webhooks/{id}/test',
      'post /api/oracle',
      'post /api/oracle/cancel',
      'post /api/oracle/stream',
      'post /api/settings/agent-config/reset',
      'post /api/settings/models/reset',
      'post /awp',
      'post /mcp',
      'post /v1/responses',
      'post /v1/responses/{id}/cancel',
      'put /api/harness/memory/{agent}/file',
      'put /api/harness/schedules/{key}',
      'put /api/harness/turns/{id}/feedback',
      'put /api/settings/agent-config',
      'put /api/settings/models',
    ]);
    const options = asDocument(body).components.schemas['TurnOptionsDto'];
    expect(Object.keys(options?.properties ?? {})).toEqual(
      expect.arrayContaining(['maxTurns', 'thinking', 'agentConfig']),
    );
    const turn = paths['/api/harness/turn']?.['post']?.responses ?? {};
    expect(Object.keys(turn)).toEqual(
      expect.arrayContaining(['200', '400', '404', '409', '413', '422', '429', '500', '503']),
    );
    expect(turn['409']?.description).toContain('TURN_IN_PROGRESS');
    expect(turn['200']?.description).toContain('`process:exit`');
  });

  it('names every operation once, by what it does, with a tag that is explained', async () => {
    const { body } = await server.client.get('/docs-json');
    const { paths, tags, servers } = asDocument(body);
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z]+[A-Z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    const explained = tags.filter(({ description }) => description.endsWith('.'));
    expect(new Set(operations.flatMap((operation) => operation.tags))).toEqual(
      new Set(explained.map(({ name }) => name)),
    );
    expect(servers).toEqual([{ url: '/', description: 'This server' }]);
  });

  it('says which operations take a key, and how', async () => {
    const { body } = await server.client.get('/docs-json');
    const { paths, security, components } = asDocument(body);
    expect(components.securitySchemes).toMatchObject({
      bearer: { type: 'http', scheme: 'bearer' },
      header: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    });
    expect(security).toEqual([{ bearer: [] }, { header: [] }]);
    const open = Object.entries(paths).filter(([, { get }]) => get?.security?.length === 0);
    expect(open.map(([path]) => path).sort()).toEqual([
      '/health',
      '/health/agent',
      '/live',
      '/ready',
    ]);
  });

  it('describes every event it sends', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(
      sessionId,
      '[[think=1]] [[cite]] [[tool=glob {"pattern":"*"}]]',
    );
    await stream.all();
    const { body } = await client.get('/docs-json');
    const { paths } = asDocument(body);
    const described = paths['/api/harness/turn']?.['post']?.responses['200']?.description ?? '';
    for (const name of new Set(stream.names())) expect(described).toContain(`\`${name}\``);
  });

  it('has a page of its API', async () => {
    const response = await fetch(`${server.url}/docs`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('swagger-ui');
  });

  it('logs turns as JSON lines with their ids, and no words of anybody', async () => {
    const { client, projectRoot, logLines } = server;
    const sessionId = await client.createSession(projectRoot);
    const before = logLines.length;
    const stream = await client.turn(sessionId, 'My secret plan');
    await stream.all();
    const lines = logLines.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
    const ofTurn = lines.filter((line) => line['msg'] !== 'request');
    expect(ofTurn.map((line) => line['msg'])).toEqual(['turn started', 'turn ended']);
    for (const line of ofTurn) {
      expect(line['requestId']).toBe(stream.header('x-request-id'));
      expect(line).toMatchObject({ turnId: stream.header('x-turn-id'), sessionId, level: 'info' });
    }
    expect(logLines.join('')).not.toContain('secret plan');
  });
});
