import type { OpenAPIObject } from '@nestjs/swagger';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { isNull, sql } from 'drizzle-orm';
import { scheduleRuns } from '../../../src/storage/automation-schema.js';
import { sessions, turns } from '../../../src/storage/schema.js';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';

interface Asked {
  path: string;
  body: object | FormData;
}

/** What each route that takes the header is asked, by `METHOD path` as the API's description has it. */
const routes: Record<string, (about: { run: string; sessionId: string; turnId: string }) => Asked> =
  {
    'POST /api/harness/turn': ({ sessionId }) => ({
      path: '/api/harness/turn',
      body: { sessionId, message: 'Hi' },
    }),
    'POST /api/harness/turns/{id}/replay': ({ turnId }) => ({
      path: `/api/harness/turns/${turnId}/replay`,
      body: {},
    }),
    'POST /api/harness/sessions/{id}/fork': ({ sessionId, turnId }) => ({
      path: `/api/harness/sessions/${sessionId}/fork`,
      body: { turnId, position: 'after' },
    }),
    'POST /api/harness/schedules/{key}/trigger': () => ({
      path: '/api/harness/schedules/daily/trigger',
      body: {},
    }),
    'POST /api/chat': ({ run }) => ({
      path: '/api/chat',
      body: {
        id: run,
        messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
      },
    }),
    'POST /v1/responses': () => ({ path: '/v1/responses', body: { input: 'Hi' } }),
    'POST /agent/{name}/ag-ui': ({ run }) => agUi('/agent/reader/ag-ui', run),
    'POST /awp': ({ run }) => agUi('/awp', run),
    'POST /agent/{name}/chat': () => chat('/agent/reader/chat'),
    'POST /agent/{name}/chat/stream': () => chat('/agent/reader/chat/stream'),
    'POST /agent/{name}/chat/multipart': () => form('/agent/reader/chat/multipart'),
    'POST /agent/{name}/chat/stream/multipart': () => form('/agent/reader/chat/stream/multipart'),
  };

const chat = (path: string): Asked => ({ path, body: { message: 'Hi' } });
const form = (path: string): Asked => {
  const body = new FormData();
  body.set('message', 'Hi');
  body.append('files', new Blob(['text'], { type: 'text/plain' }), 'a.txt');
  return { path, body };
};
const agUi = (path: string, run: string): Asked => ({
  path,
  body: {
    threadId: run,
    runId: 'r1',
    messages: [{ id: 'm1', role: 'user', content: 'Hi' }],
    tools: [],
    context: [],
    state: {},
    forwardedProps: {},
  },
});

describe('Idempotency-Key', () => {
  const server = useServer();
  beforeAll(async () => {
    const { url, projectRoot } = server;
    const schedule = { cron: '0 9 * * *', tz: 'UTC', session: 'new', message: 'Hi', projectRoot };
    const client = new KeyedClient(url);
    const made = await client.send('PUT', '/api/harness/schedules/daily', schedule);
    expect(made.status).toBe(200);
  });

  async function post(route: string, about: { run: string; sessionId: string; turnId: string }) {
    const { path, body } = routes[route]?.(about) ?? { path: '', body: {} };
    const isForm = body instanceof FormData;
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: {
        'idempotency-key': about.run.padEnd(255, 'k'),
        ...(isForm ? {} : { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    await response.text();
    return response.status;
  }

  /** Rows that requests make. */
  async function count(): Promise<number[]> {
    const { db } = server;
    const rows = await Promise.all([
      db
        .select({ n: sql<number>`count(*)::int` })
        .from(turns)
        .where(isNull(turns.copiedFrom)),
      db.select({ n: sql<number>`count(*)::int` }).from(sessions),
      db.select({ n: sql<number>`count(*)::int` }).from(scheduleRuns),
    ]);
    return rows.map(([row]) => row?.n ?? 0);
  }

  /** A session with a turn, which routes fork, replay or go on in. */
  async function begin(): Promise<{ sessionId: string; turnId: string }> {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const stream = await client.turn(sessionId, 'Hi');
    await stream.all();
    return { sessionId, turnId: stream.header('x-turn-id') ?? '' };
  }

  it('is taken by the routes below, and no others', async () => {
    const { body } = await server.client.get('/docs-json');
    const { paths } = body as unknown as OpenAPIObject;
    const taking = Object.entries(paths).flatMap(([path, operations]) =>
      (['post', 'put', 'patch', 'delete'] as const)
        .filter((method) =>
          operations[method]?.parameters?.some(
            (one) => 'name' in one && one.name.toLowerCase() === 'idempotency-key',
          ),
        )
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(taking.toSorted()).toEqual(Object.keys(routes).toSorted());
  });

  it('wins over the key that a message of the AI SDK has by its id', async () => {
    const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    const turnOf = async (headers: Record<string, string>) => {
      const { headers: given } = await server.client.post(
        '/api/chat',
        { id: 'two-keys', messages },
        { accept: 'text/event-stream', ...headers },
      );
      return given.get('x-turn-id');
    };
    const one = await turnOf({ 'idempotency-key': 'one' });
    const two = await turnOf({ 'idempotency-key': 'two' });
    const again = await turnOf({ 'idempotency-key': 'one' });
    expect([again === one, two === one]).toEqual([true, false]);
  });

  it.each(Object.keys(routes))('makes one of many on %s, also of those at once', async (route) => {
    const made = async (times: number, run: string) => {
      const about = { run: `${run} ${route}`, ...(await begin()) };
      const before = await count();
      const first = await Promise.all(Array.from({ length: times }, () => post(route, about)));
      const later = times === 1 ? [] : [await post(route, about)];
      expect([...first, ...later].filter((status) => status >= 300)).toEqual([]);
      const after = await count();
      return after.map((rows, index) => rows - (before[index] ?? 0));
    };
    const one = await made(1, 'one');
    expect(Math.max(...one)).toBe(1);
    expect(await made(8, 'many')).toEqual(one);
  });
});
