import http from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { storeTurn } from '../../support/turn/store-turn.js';
import { newFolder } from '../../support/suite.js';

const someId = 'sess_00000000-0000-4000-8000-000000000000';
const invalid = (message: string) => ({ type: 'INVALID_REQUEST', message });

describe('a turn that is refused', () => {
  let sessionId: string;
  const server = useServer({
    environment: { TURNPIKE_MAX_BODY_BYTES: '20000', TURNPIKE_MAX_MESSAGE_CHARS: '1000' },
  });
  beforeAll(async () => {
    sessionId = await server.client.createSession(server.projectRoot);
  });

  const post = (body: unknown, headers: Record<string, string> = {}) =>
    server.client.post('/api/harness/turn', body, headers);

  const noSession = invalid("Missing or invalid 'sessionId'");
  const noMessage = invalid("Missing or invalid 'message'");
  const noList = invalid("Field 'attachments' must be an array of strings");

  async function expectRefused(body: unknown, status: number, error: object): Promise<void> {
    const answer = await post(body);
    expect([answer.status, answer.body]).toEqual([
      status,
      { error: expect.objectContaining(error) },
    ]);
    expect(answer.headers.get('content-type')).toContain('application/json');
    const history = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    expect(history.body).toEqual({ messages: [] });
    expect(server.modelRequests).toEqual([]);
  }

  it.each<[string, string, object]>([
    ['malformed JSON', '{"a"', invalid('Request body must be valid JSON')],
    ['a JSON null', 'null', invalid('Request body must be a JSON object, not null')],
    ['a JSON list', '[1]', { type: 'INVALID_REQUEST' }],
    ['a JSON text', '"x"', invalid('Request body must be a JSON object, not a string')],
    ['a JSON number', '5', invalid('Request body must be a JSON object, not a number')],
    ['nothing', '', { type: 'INVALID_REQUEST' }],
  ])('for %s: nothing is stored, and the model is not called', (_what, body, error) =>
    expectRefused(body, 400, error),
  );

  it('for a body without a bottom: nothing is stored, and the model is not called', () =>
    expectRefused(
      `{"sessionId":"${sessionId}","message":"x","opts":${'['.repeat(9000)}${']'.repeat(9000)}}`,
      400,
      { type: 'INVALID_REQUEST', details: { limit: 64 } },
    ));

  // What stands in place of the id of a session and the message 'x'.
  it.each<[string, object, number, object]>([
    [
      'a session id that is no text, whatever else is wrong',
      { sessionId: 5, message: 5, opts: { persona: 'NOBODY' }, attachments: 5 },
      400,
      noSession,
    ],
    ['no session id', { sessionId: undefined, message: 5 }, 400, noSession],
    ['a blank session id', { sessionId: ' ' }, 400, noSession],
    ['no message', { message: undefined, attachments: 5 }, 400, noMessage],
    ['a message that is no text', { message: {} }, 400, noMessage],
    ['attachments that are no list', { attachments: 'a' }, 400, noList],
    [
      'a limit of cost that is a text',
      { opts: { maxCostUsd: '5' } },
      400,
      { type: 'INVALID_REQUEST', details: { field: 'opts.maxCostUsd' } },
    ],
    ['attachments that are no texts', { attachments: [1] }, 400, noList],
    [
      'attachments that are null, of a session that is not there',
      { sessionId: someId, attachments: null },
      400,
      noList,
    ],
    [
      'a message too long',
      { message: 'x'.repeat(1001) },
      400,
      { type: 'INVALID_REQUEST', details: { limit: 1000 } },
    ],
    [
      'an unknown session',
      { sessionId: someId, attachments: ['relative'] },
      404,
      { type: 'SESSION_NOT_FOUND', details: { sessionId: someId, reason: 'NO_SUCH_SESSION' } },
    ],
    [
      'an unknown persona',
      { message: '', opts: { persona: 'NOBODY' } },
      404,
      { type: 'PERSONA_NOT_FOUND' },
    ],
    [
      'a persona that is a path',
      { opts: { persona: '../../etc/passwd' } },
      404,
      { type: 'PERSONA_NOT_FOUND' },
    ],
    [
      'nothing to say',
      { message: ' \n' },
      400,
      {
        type: 'ATTACHMENT_FAILURE',
        message: 'Turn requires text content or at least one valid attachment',
        details: {
          category: 'ALL_ATTACHMENTS_FAILED_NO_TEXT',
          attachmentErrors: [],
          rejectedAttachmentCount: 0,
        },
      },
    ],
    [
      'files that cannot be taken, and no text',
      { message: '', attachments: ['a.txt', '/none/b.exe'] },
      400,
      {
        type: 'ATTACHMENT_FAILURE',
        details: {
          category: 'ALL_ATTACHMENTS_FAILED_NO_TEXT',
          attachmentErrors: [
            { path: 'a.txt', reason: 'Attachment path must be absolute' },
            { path: '/none/b.exe', reason: 'Attachment file not found: /none/b.exe' },
          ],
          rejectedAttachmentCount: 2,
        },
      },
    ],
    ['a huge body', { more: 'x'.repeat(30_000) }, 413, { type: 'BODY_TOO_LARGE' }],
  ])('for %s: nothing is stored, and the model is not called', (_what, given, status, error) =>
    expectRefused({ sessionId, message: 'x', ...given }, status, error),
  );

  it('for a busy session comes before persona and attachments, and leaves the turn alone', async () => {
    const busy = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(busy, '[[tokens=300 gap=20]]');
    const answer = await post({ sessionId: busy, message: '', opts: { persona: 'NOBODY' } });
    expect([answer.status, answer.body['error']]).toEqual([
      409,
      expect.objectContaining({ type: 'TURN_IN_PROGRESS', details: { sessionId: busy } }),
    ]);
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('for an unknown route or method has the envelope too', async () => {
    for (const [method, path, expected] of [
      ['GET', '/api/harness/none', 404],
      ['GET', '/api/harness/turn', 405],
      ['PUT', '/api/harness/session/create', 405],
    ] as const) {
      const { status, body } = await server.client.request(method, path);
      expect([status, body['error']]).toEqual([
        expected,
        expect.objectContaining({ type: expect.any(String) }),
      ]);
    }
  });

  it.each([
    ['Host', { host: 'evil.example' }],
    ['Host', { host: '127.0.0.1.evil.example' }],
    ['Origin', { origin: 'https://evil.example' }],
    ['Origin', { origin: 'null' }],
  ])('for a foreign %s: %j', async (name, headers) => {
    const { port } = new URL(server.url);
    // No other client lets a test choose its Host.
    const answer = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const request = http.request(
        { host: '127.0.0.1', port, path: '/api/harness/turn', method: 'POST', headers },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.once('end', () => resolve([response.statusCode, text]));
        },
      );
      request.on('error', reject).end(JSON.stringify({ sessionId, message: 'x' }));
    });
    expect(answer).toEqual([403, expect.stringContaining('"FORBIDDEN_ORIGIN"')]);
    expect(answer[1]).toContain(name);
    const history = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    expect(history.body).toEqual({ messages: [] });
  });
});

describe('an Idempotency-Key', () => {
  const server = useServer();

  const key = { 'idempotency-key': 'k1' };

  it('answers a repeat with the first turn, while it runs and after', async () => {
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot);
    const first = await client.turn(sessionId, '[[tokens=60 gap=20]]', {}, key);
    await first.until('chat:delta');
    const second = await client.turn(sessionId, '[[tokens=60 gap=20]]', {}, key);
    const frames = await first.all();
    expect(await second.all()).toEqual(frames);
    const third = await client.turn(sessionId, '[[tokens=60 gap=20]]', {}, key);
    expect(await third.all()).toEqual(frames);
    expect(modelRequests).toHaveLength(1);
  });

  it('makes one turn of ten at once', async () => {
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot);
    const calls = modelRequests.length;
    const streams = await Promise.all(
      Array.from({ length: 10 }, () => client.turn(sessionId, '[[tokens=10 gap=5]]', {}, key)),
    );
    const ids = new Set(streams.map((stream) => stream.header('x-turn-id')));
    expect(ids.size).toBe(1);
    const [frames, ...others] = await Promise.all(streams.map((stream) => stream.all()));
    for (const other of others) expect(other).toEqual(frames);
    expect(modelRequests).toHaveLength(calls + 1);
  });

  it('is refused with another body, and free in another session', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const first = await client.turn(sessionId, 'One', {}, key);
    await first.all();
    const other = await client.post('/api/harness/turn', { sessionId, message: 'Two' }, key);
    expect([other.status, other.body['error']]).toEqual([
      422,
      expect.objectContaining({
        type: 'IDEMPOTENCY_KEY_REUSED',
        details: { turnId: first.header('x-turn-id') },
      }),
    ]);
    const elsewhere = await client.createSession(projectRoot);
    await (await client.turn(elsewhere, 'Two', {}, key)).all();
  });

  it('has 1 to 255 characters', async () => {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const body = { sessionId, message: 'x' };
    for (const wrong of ['', 'x'.repeat(256)]) {
      const answer = await client.post('/api/harness/turn', body, { 'idempotency-key': wrong });
      expect([answer.status, answer.body['error']]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringContaining('Idempotency-Key') }),
      ]);
    }
    const longest = { 'idempotency-key': 'x'.repeat(255) };
    await (await client.turn(sessionId, 'x', {}, longest)).all();
  });
});

describe('a server that cannot take turns', () => {
  it('says QUEUE_FULL with Retry-After, and takes turns again later', async () => {
    const environment = { TURNPIKE_QUEUE_DEPTH: '1', TURNPIKE_WORKER_CONCURRENCY: '1' };
    const server = await startServer({ environment });
    const { client, projectRoot } = server;
    const sessions = await Promise.all([1, 2, 3].map(() => client.createSession(projectRoot)));
    const running = await client.turn(sessions[0] ?? '', '[[tokens=400 gap=20]]');
    await running.until('chat:delta');
    const queued = await client.turn(sessions[1] ?? '', 'Hello');
    const body = { sessionId: sessions[2], message: 'Hello' };
    const full = await client.post('/api/harness/turn', body);
    expect([full.status, full.body['error'], full.headers.get('retry-after')]).toEqual([
      429,
      expect.objectContaining({ type: 'QUEUE_FULL', details: { queueDepth: 1 } }),
      '5',
    ]);
    const history = await client.get(`/api/harness/sessions/${sessions[2]}/messages`);
    expect(history.body).toEqual({ messages: [] });
    expect((await queued.all()).map((frame) => frame.event).slice(0, 2)).toEqual([
      'turn:queued',
      'session:init',
    ]);
    await (await client.turn(sessions[2] ?? '', 'Hello')).all();
    await server.close();
  });

  it('says MISSING_API_KEY, after the session and before busy and all else', async () => {
    const environment = { ANTHROPIC_API_KEY: '', NODE_ENV: 'production' };
    const server = await startServer({ environment });
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const ready = await client.get('/ready');
    expect([ready.status, ready.body]).toEqual([
      503,
      {
        ready: false,
        checks: expect.objectContaining({
          database: 'ok',
          provider: expect.stringContaining('ANTHROPIC_API_KEY'),
        }),
      },
    ]);
    expect((await client.get('/health')).status).toBe(200);
    // Another worker has this turn: without a key, none can begin here.
    const leaseUntil = new Date(Date.now() + 60_000);
    await storeTurn(server.db, { sessionId, leaseUntil });
    const missing = await client.post('/api/harness/turn', { sessionId, message: '' });
    expect([missing.status, missing.body['error']]).toEqual([
      503,
      expect.objectContaining({
        type: 'MISSING_API_KEY',
        details: { provider: 'anthropic', category: 'MISSING_API_KEY' },
      }),
    ]);
    const unknown = await client.post('/api/harness/turn', { sessionId: someId, message: 'x' });
    expect(unknown.status).toBe(404);
    await server.close();
  });

  it('says INSTRUCTION_ROOT_INVALID, and what is missing', async () => {
    const instructionRoot = newFolder();
    const environment = { TURNPIKE_INSTRUCTION_ROOT: instructionRoot };
    const server = await startServer({ environment });
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot);
    const { status, body } = await client.post('/api/harness/turn', { sessionId, message: '' });
    expect([status, body['error']]).toEqual([
      500,
      expect.objectContaining({
        type: 'INSTRUCTION_ROOT_INVALID',
        details: {
          instructionRoot,
          missingEntries: expect.arrayContaining(['agents', 'docs', 'AGENTS.md']),
          invalidEntries: [],
        },
      }),
    ]);
    expect(modelRequests).toEqual([]);
    await server.close();
  });

  it('says NETWORK_POLICY_VIOLATION before the stream', async () => {
    const server = await startServer({ environment: { TURNPIKE_EGRESS_ALLOW: '' } });
    const { client, projectRoot, modelRequests } = server;
    const sessionId = await client.createSession(projectRoot);
    const { status, body } = await client.post('/api/harness/turn', { sessionId, message: 'x' });
    expect([status, body['error']]).toEqual([
      400,
      expect.objectContaining({
        type: 'SDK_FAILURE',
        details: expect.objectContaining({
          category: 'NETWORK_POLICY_VIOLATION',
          policy: 'REQ-NET-001',
        }),
      }),
    ]);
    expect(modelRequests).toEqual([]);
    await server.close();
  });
});
