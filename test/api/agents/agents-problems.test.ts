import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { toUlid } from '../../../src/wires/named-agents/ulid-form.js';
import {
  AgentClient,
  expectProblem,
  json,
  unknownUlid,
} from '../../support/clients/agent-client.js';
import { startServer, type TestServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const start = (environment: Record<string, string> = {}): Promise<TestServer> =>
  startServer({ environment: { TURNPIKE_PROJECT_ROOT: tmpdir(), ...environment } });

describe('the agents API refuses, as a problem,', () => {
  const server = useShared(start);
  const client = useShared(() => new AgentClient(server.url));

  it.each(['chat', 'chat/stream', 'chat/stream/multipart'])(
    'an agent that there is not: %s',
    async (path) => {
      const init = { method: 'POST', body: '{"message":"Hello"}', headers: json };
      const answer = await client.send(`/agent/nobody/${path}`, init);
      expectProblem(answer, 'persona-not-found', 404);
      expect(answer.body['instance']).toBe(`/agent/nobody/${path}`);
    },
  );

  it.each<[string, unknown, string]>([
    ['no message', {}, 'message'],
    ['an empty message', { message: '' }, 'message'],
    ['a message that is too long', { message: 'x'.repeat(10_001) }, '10,000'],
    ['a message of blanks', { message: ' \n' }, "'message' is blank"],
    ['blanks and an empty list of files', { message: ' ', files: [] }, "'message' is blank"],
    ['half a body', '{"message":', 'JSON'],
    ['a list', '[]', 'JSON'],
    ['no base64', { message: 'a', files: [{ content: '***', mime_type: 'a/b' }] }, 'files'],
  ])('%s', async (_what, body, named) => {
    const answer = await client.chat(body);
    expectProblem(answer, 'invalid-request', 400);
    expect(answer.body['detail']).toContain(named);
  });

  it('a form that has no message', async () => {
    const form = new FormData();
    form.set('session_id', unknownUlid);
    expectProblem(await client.form(form), 'invalid-request', 400);
    form.set('message', ' ');
    expectProblem(await client.form(form), 'invalid-request', 400);
  });

  it('files of which none can be taken, without words', async () => {
    const content = Buffer.from('\x7fELF\x02\x01\x01\0\0').toString('base64');
    const file = { content, mime_type: 'text/plain', filename: 'a.out' };
    const answer = await client.chat({ message: ' ', files: [file] });
    expectProblem(answer, 'attachment-failure', 400);
  });

  it.each([
    [
      'of no kind that is taken',
      'tool.exe',
      'MZ\u0090\0\x03',
      "Unsupported attachment extension '.exe'",
    ],
    ['of zero bytes', 'empty.txt', '', 'empty.txt: Attachment is empty'],
    ['of binary content that is named as text', 'a.txt', '\0\x01\x02', 'content is binary'],
  ])('a file %s, before anything is begun', async (_what, filename, text, detail) => {
    const content = Buffer.from(text).toString('base64');
    const file = { content, mime_type: 'text/plain', filename };
    const whole = { ...file, content: 'YQ==', filename: 'whole.txt' };
    const answer = await client.chat({ message: 'Look', files: [whole, file] });
    expectProblem(answer, 'attachment-failure', 400);
    expect(answer.body['detail']).toContain(detail);
  });

  it.each([
    ['POST /agent/reader/nope', 'route-not-found', 404],
    ['GET /agent/reader/chat', 'method-not-allowed', 405],
    ['GET /AGENT/reader/chat', 'method-not-allowed', 405],
    ['DELETE /sessions/', 'route-not-found', 404],
    ['POST /agents', 'method-not-allowed', 405],
    ['POST /agent/%E0%A4%A/chat', 'invalid-request', 400],
  ])('what the framework refuses: %s', async (call, code, status) => {
    const [method = '', path = ''] = call.split(' ');
    const answer = await client.send(path, { method });
    expectProblem(answer, code, status);
    expect(answer.body['instance']).toBe(path);
  });

  it('nothing of other routes', async () => {
    const { type, body } = await client.send('/agentsx');
    expect([type, body]).toEqual([
      'application/json; charset=utf-8',
      { error: expect.objectContaining({ type: 'ROUTE_NOT_FOUND' }) },
    ]);
  });

  it('a body that says it is too large, before it has come', async () => {
    const url = `${server.url}/agent/WORKING_ITEMS/chat`;
    const headers = { ...json, 'content-length': String(200 * 1024 * 1024) };
    const coming = new Promise<{ status: number | undefined; type: string | undefined }>(
      (resolve, reject) => {
        const request = httpRequest(url, { method: 'POST', headers }, (response) => {
          resolve({ status: response.statusCode, type: response.headers['content-type'] });
          request.destroy();
        });
        request.once('error', reject);
        request.write('{"message":"');
      },
    );
    expect(await coming).toEqual({ status: 413, type: 'application/problem+json' });
  });

  it('no second message while one is answered: it comes after', async () => {
    const first = await client.stream({ message: '[[tokens=100 gap=20]]' });
    await first.until('message_delta');
    const session_id = first.header('x-session-id');
    const answer = await client.chat({ message: 'Me too', session_id });
    expect(answer.status).toBe(200);
    expect(answer.body['content']).toContain('Earlier messages: 2');
    expect((await first.all()).at(-1)?.event).toBe('stream_end');
  });

  it('a message or a cursor that there is not', async () => {
    const stream = '/agent/WORKING_ITEMS/chat/stream';
    expectProblem(await client.send(`${stream}/${unknownUlid}`), 'turn-not-found', 404);
    expectProblem(await client.send(`${stream}/none`), 'invalid-request', 400);
    const { body } = await client.chat({ message: 'Hello' });
    const known = `${stream}/${String(body['message_id'])}`;
    expectProblem(await client.send(`${known}?after=x`), 'invalid-request', 400);
    const elsewhere = known.replace('WORKING_ITEMS', 'EDITOR');
    expectProblem(await client.send(elsewhere), 'turn-not-found', 404);
  });

  it('a turn of another API', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    const harness = await server.client.turn(sessionId, 'Hello');
    await harness.all();
    const messageId = toUlid(harness.header('x-turn-id'));
    const answer = await client.send(`/agent/WORKING_ITEMS/chat/stream/${messageId}`);
    expectProblem(answer, 'turn-not-found', 404);
  });

  it('a request from another site', async () => {
    const answer = await client.send('/agents', { headers: { origin: 'https://evil.example' } });
    expectProblem(answer, 'forbidden-origin', 403);
  });
});

describe('an agents API that takes no turns', () => {
  it('says when to come back where too many turns wait', async () => {
    const environment = { TURNPIKE_QUEUE_DEPTH: '1', TURNPIKE_WORKER_CONCURRENCY: '1' };
    const small = await start(environment);
    const busy = new AgentClient(small.url);
    const running = await busy.stream({ message: '[[tokens=5000 gap=10]]' });
    await running.until('message_delta');
    // The first frame tells the client that its turn waits.
    const queued = await busy.stream({ message: 'Hello' });
    await queued.until('stream_start');
    const full = await busy.chat({ message: 'Hello' });
    expectProblem(full, 'queue-full', 429);
    expect(full.headers.get('retry-after')).toBe('5');
    await busy.forget(running.header('x-session-id'));
    await queued.all();
    await small.close();
  });

  it('says that it is not ready without a key, and keeps no session', async () => {
    const environment = {
      ANTHROPIC_API_KEY: '',
      NODE_ENV: 'production',
      TURNPIKE_MAX_SESSIONS: '1',
    };
    const keyless = await start(environment);
    const unready = new AgentClient(keyless.url);
    for (const _time of [1, 2]) {
      const answer = await unready.chat({ message: 'Hello' });
      expectProblem(answer, 'missing-api-key', 503);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    await keyless.close();
  });
});
