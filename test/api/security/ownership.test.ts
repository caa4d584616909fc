import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '../../../src/platform/ids.js';
import { approvals } from '../../../src/storage/governance-schema.js';
import { toUlid } from '../../../src/wires/named-agents/ulid-form.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { KeyedClient, type KeyedAnswer, keyedClient } from '../../support/clients/keyed-client.js';
import { type TestServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

/** Ids of things, in the forms that the routes take them in. */
interface Things {
  sessionId: string;
  turnId: string;
  oracleId: string;
  agentSession: string;
  agentMessage: string;
  approvalId: string;
  attachmentId: string;
  webhookId: string;
  responseId: string;
  scheduleKey: string;
}

/** Whose id routes have in their paths, by how the paths begin. */
const idsInPaths: Record<string, keyof Things> = {
  '/api/harness/session': 'sessionId',
  '/api/harness/turns': 'turnId',
  '/api/harness/approvals': 'approvalId',
  '/api/harness/attachments': 'attachmentId',
  '/api/harness/webhooks': 'webhookId',
  '/api/harness/schedules': 'scheduleKey',
  '/api/chat': 'sessionId',
  '/v1/responses': 'responseId',
  '/agent/{name}/ag-ui': 'turnId',
  '/agent/{name}/chat/stream': 'agentMessage',
  '/sessions': 'agentSession',
};

const chat = { id: 'm1', role: 'user', content: 'Hello' };
const run = { runId: 'run-1', messages: [chat], tools: [], context: [] };
const uiMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };

/** Bodies and queries: those with an id, and those that a route needs beside the id in its path. */
const requests: Record<string, (ids: Things) => string | object> = {
  'patch /api/harness/session/{id}': () => ({ title: 'Mine' }),
  'post /api/harness/sessions/{id}/fork': ({ turnId }) => ({ turnId, position: 'after' }),
  'get /api/harness/turns/{id}/compare': ({ turnId }) => `?with=${turnId}`,
  'post /api/harness/turns/{id}/replay': () => ({}),
  'put /api/harness/turns/{id}/feedback': () => ({ key: 'helpful', value: true }),
  'post /api/harness/approvals/{id}': () => ({ decision: 'approve' }),
  'patch /api/harness/webhooks/{id}': () => ({ enabled: false }),
  'post /api/harness/webhooks/{id}/rotate': () => ({}),
  'patch /api/harness/schedules/{key}': () => ({ message: 'Mine' }),
  'get /agent/{name}/ag-ui/{turnId}': () => '?run=run-1',
  'post /api/harness/interrupt': ({ sessionId }) => ({ sessionId }),
  'post /api/harness/session/boot': ({ sessionId }) => ({ sessionId }),
  'post /api/harness/turn': ({ sessionId }) => ({ sessionId, message: 'Hello' }),
  'post /api/chat': ({ sessionId: id }) => ({ id, messages: [uiMessage] }),
  'get /api/oracle/history': ({ oracleId }) => `?context_id=${oracleId}`,
  'delete /api/oracle/history': ({ oracleId }) => `?context_id=${oracleId}`,
  'post /api/oracle/cancel': ({ oracleId }) => `?context_id=${oracleId}`,
  'post /api/oracle': ({ oracleId }) => ({ question: 'Hello', context_id: oracleId }),
  'post /api/oracle/stream': ({ oracleId }) => ({ question: 'Hello', context_id: oracleId }),
  'post /v1/responses': ({ responseId }) => ({ input: 'Hello', previous_response_id: responseId }),
  'post /agent/{name}/ag-ui': ({ sessionId: threadId }) => ({
    threadId,
    ...run,
    state: {},
    forwardedProps: {},
  }),
  'post /awp': ({ sessionId: threadId }) => ({ threadId, ...run }),
};

/** The thing whose id a route has in its path. */
function thingIn(route: string): keyof Things | undefined {
  const path = route.replace(/^\w+ /, '');
  const begin = Object.keys(idsInPaths).find((one) => path.startsWith(one));
  if (begin === undefined || !path.slice(begin.length).includes('{')) return undefined;
  return idsInPaths[begin];
}

/** The call of a route with one's ids. */
function callOf(route: string, ids: Things): [method: string, path: string, body?: object] {
  const [method = '', template = ''] = route.split(' ');
  const thing = thingIn(route);
  const path = template
    .replace('{name}', 'WORKING_ITEMS')
    .replace('/feedback/{key}', '/feedback/helpful')
    .replace('{deliveryId}', 'evt_1')
    .replace(/\{\w+\}/, thing === undefined ? '' : ids[thing]);
  // Another id in the path would make it unknown to everybody.
  if (path.includes('{')) throw new Error(`${route} has an id that this suite does not fill in`);
  const request = requests[route]?.(ids);
  if (typeof request === 'string') return [method.toUpperCase(), path + request];
  return request === undefined
    ? [method.toUpperCase(), path]
    : [method.toUpperCase(), path, request];
}

/** Routes that take nobody's id, or begin something new where an id is unknown. */
const withoutIds = [
  'delete /api/admin/keys/{id}',
  'delete /api/admin/principals/{principal}',
  'get /api/admin/export',
  'get /api/admin/principals/{principal}',
  'post /api/admin/import',
  'post /api/admin/master-key/rotate',
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
  attachmentId: `${newId('file')}_1`,
  webhookId: newId('hook'),
  responseId: newId('resp'),
  scheduleKey: newId('key'),
});

/** What vouches for people; with tokens, the server has had no key. */
describe.each(['keys', 'tokens'])('what somebody else has, where people have %s', (kind) => {
  let things: Things;
  let routes: string[];
  const { issuer, environment } = useTokenIssuer();
  const server = useServer(kind === 'tokens' ? { environment } : {});
  const clientOf = async (name: string): Promise<KeyedClient> =>
    kind === 'keys'
      ? keyedClient(server, { principal: name })
      : new KeyedClient(server.url, await issuer.sign({ sub: name }));
  const owner = useShared(() => clientOf('owner'));
  const other = useShared(() => clientOf('other'));
  beforeAll(async () => {
    things = await makeThings(owner, server);
    const { body } = await owner.send('GET', '/docs-json');
    routes = Object.entries(body['paths'] as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
  });

  it('is declared here for every route that takes an id', () => {
    const undeclared = routes.filter(
      (route) =>
        thingIn(route) === undefined && !(route in requests) && !withoutIds.includes(route),
    );
    expect(undeclared).toEqual([]);
    const unknownRoutes = Object.keys(requests).filter((route) => !routes.includes(route));
    expect(unknownRoutes).toEqual([]);
  });

  it('is not for somebody without a credential, on any route', async () => {
    const open = ['get /health', 'get /health/agent', 'get /live', 'get /ready', 'get /metrics'];
    const nobody = new KeyedClient(server.url);
    for (const route of routes) {
      if (open.includes(route)) continue;
      const [method = '', template = ''] = route.split(' ');
      const path = template.replaceAll(/\{\w+\}/g, 'x');
      const { status } = await nobody.send(method.toUpperCase(), path);
      expect([route, status]).toEqual([route, 401]);
    }
  });

  it('is not there, on any route', async () => {
    const isFine = [
      'post /api/oracle/cancel',
      'delete /sessions/{session_id}',
      'get /api/chat/{id}/stream',
    ];
    const taking = routes.filter((route) => !withoutIds.includes(route));
    expect(taking.length).toBeGreaterThan(60);
    for (const route of taking) {
      const nothing = unknown();
      const [ofOther, ofNobody] = await Promise.all(
        [things, nothing].map((ids) => other.send(...callOf(route, ids))),
      );
      expect([route, anonymous(ofOther, things)]).toEqual([route, anonymous(ofNobody, nothing)]);
      if (!isFine.includes(route)) expect([route, ofOther?.status]).toEqual([route, 404]);
    }
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
      `/api/harness/attachments/${things.attachmentId}`,
      `/v1/responses/${things.responseId}`,
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
  const file = join(projectRoot, 'owned.txt');
  await writeFile(file, 'mine');
  const request = { sessionId, message: 'Hello', attachments: [file] };
  const turn = await owner.send('POST', '/api/harness/turn', request);
  const oracle = await owner.send('POST', '/api/oracle', { question: 'Hello' });
  const chat = await owner.send('POST', '/agent/WORKING_ITEMS/chat', { message: 'Hello' });
  const hook = await owner.send('POST', '/api/harness/webhooks', { url: 'https://example.com/' });
  const response = await owner.send('POST', '/v1/responses', { input: 'Hello' });
  const { id: webhookId } = hook.body['webhook'] as { id: string };
  const scheduleKey = newId('key');
  const yearly = { cron: '0 0 1 1 *', tz: 'UTC', session: 'new', message: 'Hello' };
  await owner.send('PUT', `/api/harness/schedules/${scheduleKey}`, yearly);
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
    attachmentId: `${turnId.replace('turn_', 'file_')}_1`,
    webhookId,
    responseId: String(response.body['id']),
    scheduleKey,
  };
}

/** The answer without the ids that were asked for. */
function anonymous(answer: KeyedAnswer | undefined, ids: Things): [number | undefined, string] {
  let text = answer?.text ?? '';
  for (const [what, id] of Object.entries(ids)) {
    text = text.replaceAll(id, what);
  }
  return [answer?.status, text.replace(/("correlationId":")[^"]+/, '$1')];
}
