import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newId } from '../../../src/platform/ids.js';
import { mcpLogins } from '../../../src/storage/mcp-schema.js';
import { approvals } from '../../../src/storage/governance-schema.js';
import type { KeyedClient } from '../clients/keyed-client.js';
import type { TestServer } from '../processes/start-server.js';

/** Ids of things, in the forms that the routes take them in. */
export interface Things {
  sessionId: string;
  turnId: string;
  oracleId: string;
  agentSession: string;
  agentMessage: string;
  approvalId: string;
  awaitedId: string;
  attachmentId: string;
  webhookId: string;
  responseId: string;
  scheduleKey: string;
  mcpLoginId: string;
}

/** Whose id routes have in their paths, by how the paths begin. */
const idsInPaths: Record<string, keyof Things> = {
  '/api/harness/session': 'sessionId',
  '/api/harness/turns': 'turnId',
  '/api/harness/approvals': 'approvalId',
  '/api/harness/awaited-approvals': 'awaitedId',
  '/api/harness/attachments': 'attachmentId',
  '/api/harness/webhooks': 'webhookId',
  '/api/harness/mcp/logins': 'mcpLoginId',
  '/api/harness/schedules': 'scheduleKey',
  '/api/chat': 'sessionId',
  '/v1/responses': 'responseId',
  '/agent/{name}/ag-ui': 'turnId',
  '/agent/{name}/chat/stream': 'agentMessage',
  '/sessions': 'agentSession',
};

const chat = { id: 'm1', role: 'user', content: 'Hello' };
const run = { runId: 'run-1', messages: [chat], tools: [], context: [] };
export const uiMessage = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] };

/** Bodies and queries: those with an id, and those that a route needs beside the id in its path. */
export const requests: Record<string, (ids: Things) => string | object> = {
  'patch /api/harness/session/{id}': () => ({ title: 'Mine' }),
  'post /mcp': ({ turnId }) => ({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'read_turn', arguments: { turnId, waitSeconds: 0 } },
  }),
  'post /api/harness/sessions/{id}/fork': ({ turnId }) => ({ turnId, position: 'after' }),
  'get /api/harness/turns/{id}/compare': ({ turnId }) => `?with=${turnId}`,
  'post /api/harness/turns/{id}/replay': () => ({}),
  'put /api/harness/turns/{id}/feedback': () => ({ key: 'helpful', value: true }),
  'post /api/harness/approvals/{id}': () => ({ decision: 'approve' }),
  'post /api/harness/approvals/{id}/authorize': () => ({}),
  'post /api/harness/awaited-approvals/{id}': () => ({ decision: 'approve' }),
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
export function thingIn(route: string): keyof Things | undefined {
  const path = route.replace(/^\w+ /, '');
  const begin = Object.keys(idsInPaths).find((one) => path.startsWith(one));
  if (begin === undefined || !path.slice(begin.length).includes('{')) return undefined;
  return idsInPaths[begin];
}

/** The call of a route with one's ids. */
export function callOf(route: string, ids: Things): [method: string, path: string, body?: object] {
  const [method = '', template = ''] = route.split(' ');
  const thing = thingIn(route);
  const path = template
    .replace('{name}', 'WORKING_ITEMS')
    .replace('/feedback/{key}', '/feedback/helpful')
    .replace('{deliveryId}', 'evt_1')
    .replace(/\{\w+\}/, thing === undefined ? 'x' : ids[thing]);
  // Another id in the path would make it unknown to everybody.
  if (path.includes('{')) throw new Error(`${route} has an id that this suite does not fill in`);
  const request = requests[route]?.(ids);
  if (typeof request === 'string') return [method.toUpperCase(), path + request];
  return request === undefined
    ? [method.toUpperCase(), path]
    : [method.toUpperCase(), path, request];
}

/** Every route, as `get /api/…`. */
export async function routesOf(client: KeyedClient): Promise<string[]> {
  const { body } = await client.send('GET', '/docs-json');
  return Object.entries(body['paths'] as Record<string, object>).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
}

export async function makeThings(
  owner: KeyedClient,
  { db, projectRoot }: TestServer,
): Promise<Things> {
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
  const [approvalId, awaitedId] = [newId('appr'), newId('appr')];
  const call = { kind: 'tool', name: 'bash', input: {}, reason: 'it asks' } as const;
  const times = { onTimeout: 'deny', createdAt: new Date(0), expiresAt: new Date(0) } as const;
  const awaits = [{ by: ['release'], count: 1, notRequester: false }];
  await db.insert(approvals).values([
    { id: approvalId, turnId, sessionId, callId: 'call', ...call, ...times },
    { id: awaitedId, turnId, sessionId, callId: 'awaited', ...call, ...times, awaits },
  ]);
  const mcpLoginId = newId('mcpl');
  await db.insert(mcpLogins).values({
    id: mcpLoginId,
    principalId: 'owner',
    name: 'tracker',
    server: 'https://tracker.example/mcp',
    issuer: 'https://auth.example',
    tokens: '{}',
    version: 1,
    createdAt: new Date(0),
    renewedAt: new Date(0),
  });
  return {
    sessionId,
    turnId,
    mcpLoginId,
    oracleId: String(oracle.body['context_id']),
    agentSession: String(chat.body['session_id']),
    agentMessage: String(chat.body['message_id']),
    approvalId,
    awaitedId,
    attachmentId: `${turnId.replace('turn_', 'file_')}_1`,
    webhookId,
    responseId: String(response.body['id']),
    scheduleKey,
  };
}
