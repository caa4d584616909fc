import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids.js';
import { approvals } from '../../../src/storage/governance-schema.js';
import { toUlid } from '../../../src/wires/named-agents/ulid-form.js';
import { KeyedClient, makeKey, type KeyedAnswer } from '../../support/clients/keyed-client.js';
import { turnCalls } from '../../support/access/turn-calls.js';
import { wireCalls } from '../../support/access/wire-calls.js';
import { putSchedule, scheduleCalls } from '../../support/schedules/schedule-calls.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';

/** Ids of things, in the forms that the routes take them in. */
interface Things {
  sessionId: string;
  turnId: string;
  oracleId: string;
  agentSession: string;
  agentMessage: string;
  approvalId: string;
  webhookId: string;
  responseId: string;
  scheduleKey: string;
}

type Call = [method: string, path: string, body?: unknown];

const uiMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };

/** Every route that takes an id, and the call of it with one. */
const calls: Record<string, (ids: Things) => Call> = {
  'delete /api/harness/session/{id}': ({ sessionId: id }) => [
    'DELETE',
    `/api/harness/session/${id}`,
  ],
  'get /api/harness/session/{id}': ({ sessionId: id }) => ['GET', `/api/harness/session/${id}`],
  'patch /api/harness/session/{id}': ({ sessionId: id }) => [
    'PATCH',
    `/api/harness/session/${id}`,
    { title: 'Mine' },
  ],
  'get /api/harness/sessions/{id}/export': ({ sessionId: id }) => [
    'GET',
    `/api/harness/sessions/${id}/export`,
  ],
  'get /api/harness/sessions/{id}/messages': ({ sessionId: id }) => [
    'GET',
    `/api/harness/sessions/${id}/messages`,
  ],
  'get /api/harness/sessions/{id}/skills': ({ sessionId: id }) => [
    'GET',
    `/api/harness/sessions/${id}/skills`,
  ],
  'get /api/harness/sessions/{id}/todos': ({ sessionId: id }) => [
    'GET',
    `/api/harness/sessions/${id}/todos`,
  ],
  'post /api/harness/sessions/{id}/compact': ({ sessionId: id }) => [
    'POST',
    `/api/harness/sessions/${id}/compact`,
  ],
  'post /api/harness/sessions/{id}/fork': ({ sessionId: id, turnId }) => [
    'POST',
    `/api/harness/sessions/${id}/fork`,
    { turnId, position: 'after' },
  ],
  'get /api/harness/sessions/{id}/turns': ({ sessionId: id }) => [
    'GET',
    `/api/harness/sessions/${id}/turns`,
  ],
  'post /api/chat': ({ sessionId: id }) => ['POST', '/api/chat', { id, messages: [uiMessage] }],
  'get /api/chat/{id}': ({ sessionId: id }) => ['GET', `/api/chat/${id}`],
  'get /api/chat/{id}/stream': ({ sessionId: id }) => ['GET', `/api/chat/${id}/stream`],
  'post /api/chat/{id}/stop': ({ sessionId: id }) => ['POST', `/api/chat/${id}/stop`],
  'post /api/harness/interrupt': ({ sessionId }) => [
    'POST',
    '/api/harness/interrupt',
    { sessionId },
  ],
  'post /api/harness/session/boot': ({ sessionId }) => [
    'POST',
    '/api/harness/session/boot',
    { sessionId },
  ],
  'post /api/harness/turn': ({ sessionId }) => [
    'POST',
    '/api/harness/turn',
    { sessionId, message: 'Hello' },
  ],
  'post /api/harness/turns/{id}/interrupt': ({ turnId: id }) => [
    'POST',
    `/api/harness/turns/${id}/interrupt`,
  ],
  'post /api/harness/approvals/{id}': ({ approvalId: id }) => [
    'POST',
    `/api/harness/approvals/${id}`,
    { decision: 'approve' },
  ],
  'get /api/harness/approvals/{id}': ({ approvalId: id }) => [
    'GET',
    `/api/harness/approvals/${id}`,
  ],
  'get /api/harness/attachments/{id}': ({ turnId }) => [
    'GET',
    `/api/harness/attachments/file_${turnId.replace('turn_', '')}_1`,
  ],
  'put /api/harness/turns/{id}/feedback': ({ turnId: id }) => [
    'PUT',
    `/api/harness/turns/${id}/feedback`,
    { key: 'helpful', value: true },
  ],
  'get /api/harness/turns/{id}/feedback': ({ turnId: id }) => [
    'GET',
    `/api/harness/turns/${id}/feedback`,
  ],
  'delete /api/harness/turns/{id}/feedback/{key}': ({ turnId: id }) => [
    'DELETE',
    `/api/harness/turns/${id}/feedback/helpful`,
  ],
  'get /api/harness/webhooks/{id}': ({ webhookId: id }) => ['GET', `/api/harness/webhooks/${id}`],
  'patch /api/harness/webhooks/{id}': ({ webhookId: id }) => [
    'PATCH',
    `/api/harness/webhooks/${id}`,
    { enabled: false },
  ],
  'delete /api/harness/webhooks/{id}': ({ webhookId: id }) => [
    'DELETE',
    `/api/harness/webhooks/${id}`,
  ],
  'post /api/harness/webhooks/{id}/rotate': ({ webhookId: id }) => [
    'POST',
    `/api/harness/webhooks/${id}/rotate`,
    {},
  ],
  'post /api/harness/webhooks/{id}/test': ({ webhookId: id }) => [
    'POST',
    `/api/harness/webhooks/${id}/test`,
  ],
  'get /api/harness/webhooks/{id}/deliveries': ({ webhookId: id }) => [
    'GET',
    `/api/harness/webhooks/${id}/deliveries`,
  ],
  'post /api/harness/webhooks/{id}/deliveries/{deliveryId}/redeliver': ({ webhookId: id }) => [
    'POST',
    `/api/harness/webhooks/${id}/deliveries/evt_1/redeliver`,
  ],
  ...scheduleCalls,
  ...turnCalls,
  'get /api/oracle/history': ({ oracleId: id }) => ['GET', `/api/oracle/history?context_id=${id}`],
  'delete /api/oracle/history': ({ oracleId: id }) => [
    'DELETE',
    `/api/oracle/history?context_id=${id}`,
  ],
  'post /api/oracle/cancel': ({ oracleId: id }) => ['POST', `/api/oracle/cancel?context_id=${id}`],
  'post /api/oracle': ({ oracleId }) => [
    'POST',
    '/api/oracle',
    { question: 'Hello', context_id: oracleId },
  ],
  'post /api/oracle/stream': ({ oracleId }) => [
    'POST',
    '/api/oracle/stream',
    { question: 'Hello', context_id: oracleId },
  ],
  'get /agent/{name}/chat/stream/{messageId}': ({ agentMessage: id }) => [
    'GET',
    `/agent/WORKING_ITEMS/chat/stream/${id}`,
  ],
  ...wireCalls,
  'delete /sessions/{session_id}': ({ agentSession: id }) => ['DELETE', `/sessions/${id}`],
};

/** Routes that take nobody's id, or begin something new where an id is unknown. */
const withoutIds = [
  'delete /api/admin/keys/{id}',
  'delete /api/admin/principals/{principal}',
  'get /api/admin/export',
  'get /api/admin/principals/{principal}',
  'post /api/admin/import',
  'get /agents',
  'get /api/admin/audit',
  'get /api/admin/keys',
  'get /api/harness/approvals',
  'get /api/admin/queue',
  'get /api/harness/session/list',
  'get /api/harness/session/defaults',
  'get /api/chats',
  'get /api/harness/sessions',
  'get /api/harness/models',
  'get /v1/models',
  'get /v1/models/{id}',
  'get /api/harness/skills',
  'get /api/harness/tools',
  'get /api/harness/usage',
  'get /api/harness/usage/days',
  'delete /api/harness/memory/{agent}',
  'delete /api/harness/memory/{agent}/file',
  'get /api/harness/feedback',
  'get /api/harness/memory',
  'get /api/harness/memory/{agent}',
  'get /api/harness/memory/{agent}/file',
  'put /api/harness/memory/{agent}/file',
  'get /api/harness/webhooks',
  'get /api/harness/schedules',
  'post /api/harness/webhooks',
  'get /api/settings/agent-config',
  'get /api/settings/effective',
  'get /api/settings/models',
  'get /health',
  'get /health/agent',
  'get /metrics',
  'get /live',
  'get /ready',
  'post /agent/{name}/chat',
  'post /agent/{name}/chat/multipart',
  'post /agent/{name}/chat/stream',
  'post /agent/{name}/chat/stream/multipart',
  'post /api/admin/keys',
  'post /api/harness/attachments',
  'post /api/harness/session/create',
  'post /api/settings/agent-config/reset',
  'post /api/settings/models/reset',
  'put /api/harness/schedules/{key}',
  'put /api/settings/agent-config',
  'put /api/settings/models',
];

const unknown = (): Things => ({
  sessionId: newId('sess'),
  turnId: newId('turn'),
  oracleId: newId('sess'),
  agentSession: toUlid(newId('sess')),
  agentMessage: toUlid(newId('turn')),
  approvalId: newId('appr'),
  webhookId: newId('hook'),
  responseId: newId('resp'),
  scheduleKey: newId('key'),
});

describe('what somebody else has', () => {
  let server: TestServer;
  let owner: KeyedClient;
  let other: KeyedClient;
  let things: Things;
  let routes: string[];
  beforeAll(async () => {
    server = await startServer();
    const keys = ['owner', 'other'].map((principal) => makeKey(server, { principal }));
    const [first, second] = await Promise.all(keys);
    owner = new KeyedClient(server.url, first?.secret);
    other = new KeyedClient(server.url, second?.secret);
    things = await makeThings(owner, server);
    const { body } = await owner.send('GET', '/docs-json');
    routes = Object.entries(body['paths'] as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
  });
  afterAll(() => server.close());

  it('is thought of for every route', () => {
    const forgotten = routes.filter((route) => !(route in calls) && !withoutIds.includes(route));
    expect(forgotten).toEqual([]);
  });

  it.each(Object.keys(calls))('is not there: %s', async (route) => {
    if (!routes.includes(route)) return;
    const call = calls[route];
    if (call === undefined) throw new Error(`There is no call of ${route}`);
    const nothing = unknown();
    const [ofOther, ofNobody] = await Promise.all(
      [things, nothing].map((ids) => other.send(...call(ids))),
    );
    expect(anonymous(ofOther, things)).toEqual(anonymous(ofNobody, nothing));
    const isFine = [
      'post /api/oracle/cancel',
      'delete /sessions/{session_id}',
      'get /api/chat/{id}/stream',
    ];
    if (!isFine.includes(route)) expect(ofOther?.status).toBe(404);
  });

  it('is not there for a body that is wrong otherwise, either', async () => {
    const nothing = unknown();
    const [ofOther, ofNobody] = await Promise.all(
      [things, nothing].map(({ sessionId }) =>
        other.send('POST', '/api/harness/turn', { sessionId: ` ${sessionId} `, message: 7 }),
      ),
    );
    expect(anonymous(ofOther, things)).toEqual(anonymous(ofNobody, nothing));
  });

  it('is in no list, no newest conversation and no session of an agent', async () => {
    const root = encodeURIComponent(server.projectRoot);
    const listed = await other.send('GET', `/api/harness/session/list?projectRoot=${root}`);
    expect(listed.body['sessions']).toEqual([]);
    const newest = await other.send('GET', '/api/oracle/history');
    expect(newest.body['session_id']).toBeNull();
    expect((await other.send('GET', '/api/harness/webhooks')).body).toEqual({ webhooks: [] });
    const chat = await other.send('POST', '/agent/WORKING_ITEMS/chat', {
      message: 'Hello',
      session_id: things.agentSession,
    });
    expect(chat.status).toBe(200);
    expect(chat.body['session_id']).not.toBe(things.agentSession);
  });

  it('is not compared with one’s own', async () => {
    const made = await other.send('POST', '/api/harness/session/create', {
      projectRoot: server.projectRoot,
    });
    const { sessionId } = made.body['session'] as { sessionId: string };
    const sent = await other.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    const own = sent.headers.get('x-turn-id') ?? '';
    const compare = (turnId: string) =>
      other.send('GET', `/api/harness/turns/${own}/compare?with=${turnId}`);
    expect((await compare(own)).status).toBe(200);
    expect(await compare(things.turnId)).toMatchObject({
      status: 404,
      body: { error: { type: 'TURN_NOT_FOUND' } },
    });
  });

  it('cannot be attached to a turn', async () => {
    const form = new FormData();
    form.append('files', new Blob(['mine']), 'mine.txt');
    const sent = await fetch(`${server.url}/api/harness/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.key}` },
      body: form,
    });
    const { attachments } = (await sent.json()) as { attachments: { id: string }[] };
    const made = await other.send('POST', '/api/harness/session/create', {
      projectRoot: server.projectRoot,
    });
    const { sessionId } = made.body['session'] as { sessionId: string };
    const ids = attachments.map(({ id }) => id);
    const refused = await other.send('POST', '/api/harness/turn', {
      sessionId,
      message: '',
      attachments: ids,
    });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('not known')]);
    const own = await owner.send('POST', '/api/harness/turn', {
      sessionId: things.sessionId,
      message: 'Look',
      attachments: ids,
    });
    expect(own.status).toBe(200);
  });

  it('has preferences of its own', async () => {
    await owner.send('PUT', '/api/settings/agent-config', { max_iterations: 3 });
    const { body } = await other.send('GET', '/api/settings/agent-config');
    expect(body['max_iterations']).not.toBe(3);
  });

  it('is still there for its owner', async () => {
    for (const path of [
      `/api/harness/session/${things.sessionId}`,
      `/api/harness/turns/${things.turnId}`,
      `/api/harness/webhooks/${things.webhookId}`,
      `/api/harness/schedules/${things.scheduleKey}`,
      `/api/oracle/history?context_id=${things.oracleId}`,
      `/agent/WORKING_ITEMS/chat/stream/${things.agentMessage}`,
    ]) {
      expect([path, (await owner.send('GET', path)).status]).toEqual([path, 200]);
    }
  });
});

async function makeThings(owner: KeyedClient, { db, projectRoot }: TestServer): Promise<Things> {
  const made = await owner.send('POST', '/api/harness/session/create', { projectRoot });
  const { sessionId } = made.body['session'] as { sessionId: string };
  const turn = await owner.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
  const oracle = await owner.send('POST', '/api/oracle', { question: 'Hello' });
  const chat = await owner.send('POST', '/agent/WORKING_ITEMS/chat', { message: 'Hello' });
  const hook = await owner.send('POST', '/api/harness/webhooks', { url: 'https://example.com/' });
  const response = await owner.send('POST', '/v1/responses', { input: 'Hello' });
  const { id: webhookId } = hook.body['webhook'] as { id: string };
  const scheduleKey = await putSchedule(owner);
  const turnId = turn.headers.get('x-turn-id') ?? '';
  const approvalId = newId('appr');
  await db.insert(approvals).values({
    id: approvalId,
    turnId,
    sessionId,
    callId: 'call',
    kind: 'tool',
    name: 'bash',
    input: {},
    reason: 'it asks',
    onTimeout: 'deny',
    createdAt: new Date(0),
    expiresAt: new Date(0),
  });
  return {
    sessionId,
    turnId,
    oracleId: String(oracle.body['context_id']),
    agentSession: String(chat.body['session_id']),
    agentMessage: String(chat.body['message_id']),
    approvalId,
    webhookId,
    responseId: String(response.body['id']),
    scheduleKey,
  };
}

/** The answer without the ids that were asked for. */
function anonymous(answer: KeyedAnswer | undefined, ids: Things): [number | undefined, string] {
  let text = answer?.text ?? '';
  for (const [what, id] of Object.entries(ids)) {
    // A file's id has that of its turn in it.
    text = text.replaceAll(id, what).replaceAll(id.replace('turn_', 'file_'), what);
  }
  return [answer?.status, text.replace(/("correlationId":")[^"]+/, '$1')];
}
