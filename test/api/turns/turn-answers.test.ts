import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { sessions } from '../../../src/storage/schema.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the answer to a turn that is posted', () => {
  let sessionId: string;
  const server = useServer({ environment: { TURNPIKE_DISCONNECT_GRACE_MS: '50' } });
  beforeAll(async () => {
    sessionId = await server.client.createSession(server.projectRoot);
  });

  const post = (message: string, headers: Record<string, string>, more = {}) =>
    server.client.post('/api/harness/turn', { sessionId, message, ...more }, headers);
  const json = { accept: 'application/json' };
  const turnOf = async (turnId: string | null) => {
    const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
    return body['turn'] as { status: string; options: { onDisconnect: string } };
  };

  it.each([
    ['nothing', undefined],
    ['anything', 'application/json, text/plain, */*'],
    ['any text', 'text/*, application/json'],
    ['a stream', 'text/event-stream'],
  ])('is the stream where the client accepts %s', async (_what, accept) => {
    const { status, headers } = await post('Hello', accept === undefined ? {} : { accept });
    expect([status, headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
  });

  it('is the result, once it has come, where the client accepts no stream', async () => {
    const { status, headers, body } = await post('Hello', json);
    const turnId = headers.get('x-turn-id');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(headers.get('location')).toBe(`/api/harness/turns/${turnId}/events`);
    const stream = await server.client.follow(String(turnId));
    await stream.all();
    const end = stream.frames.find(({ event }) => event === 'turn:end');
    expect(body).toEqual({ turnId, sessionId, text: stream.text(), ...end?.data });
    expect(body['outcome']).toBe('completed');
  });

  it('is the error of a turn that failed, beside what it had said', async () => {
    const { status, body } = await post('[[fail=400]]', json);
    expect([status, body['outcome'], body['exitCode']]).toEqual([200, 'failed', 1]);
    expect(body['error']).toMatchObject({ errorType: 'SDK_FAILURE', message: expect.any(String) });
  });

  it('says which options had no effect, and which files were not taken', async () => {
    const opts = { modle: 'x', maxTurns: 'many' };
    const odd = { opts, attachments: ['/nope/a.txt'], maxTurns: 3 };
    const { body } = await post('Hello', json, odd);
    expect(body['notices']).toEqual([
      expect.objectContaining({
        kind: 'options-ignored',
        text: expect.stringMatching(
          /^maxTurns had no effect: this route takes sessionId, .*\nopts\.maxTurns ignored: .*\n.*opts\.modle ignored: .* replaces/,
        ),
      }),
    ]);
    expect(body['rejectedFiles']).toMatchObject([{ name: 'a.txt', reason: expect.any(String) }]);
    expect(await server.client.follow(String(body['turnId']))).toBeDefined();
  });

  it('is that of the first turn where the request is a repeat', async () => {
    const key = { ...json, 'idempotency-key': 'once' };
    const first = await post('Once', key);
    const again = await post('Once', key);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get('x-turn-disposition')).toBe('repeated');
  });

  it('may be asked for in a different way by a repeat: the request is the same', async () => {
    const key = { 'idempotency-key': 'any answer' };
    const first = await post('Any', { ...key, prefer: 'respond-async' });
    const again = await post('Any', { ...key, ...json });
    expect([first.status, again.status, again.body['turnId']]).toEqual([
      202,
      200,
      first.headers.get('x-turn-id'),
    ]);
    expect(again.headers.get('x-turn-disposition')).toBe('repeated');
  });

  it('is a typed error where the turn is refused', async () => {
    const { status, body } = await server.client.post(
      '/api/harness/turn',
      { sessionId: 'sess_00000000-0000-4000-8000-000000000000', message: 'Hello' },
      json,
    );
    expect([status, body['error']]).toEqual([
      404,
      expect.objectContaining({ type: 'SESSION_NOT_FOUND' }),
    ]);
  });

  it('ends a turn whose client left before its result, as a stream that nobody reads', async () => {
    const leaving = new AbortController();
    const waiting = fetch(`${server.url}/api/harness/turn`, {
      method: 'POST',
      body: JSON.stringify({ sessionId, message: '[[tokens=500 gap=50]]' }),
      headers: { 'content-type': 'application/json', ...json },
      signal: leaving.signal,
    });
    const turns = async () => {
      const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/turns`);
      return (body['turns'] as { turnId: string; status: string }[])[0];
    };
    await expectSoon(async () => expect((await turns())?.status).toBe('running'));
    leaving.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await expectSoon(async () => expect((await turns())?.status).toBe('interrupted'));
    expect(server.logLines.join('')).not.toContain('request failed');
  });

  describe('where its session is deleted meanwhile', () => {
    /** A turn that is parked for a person while its client awaits the result. */
    const awaitParked = async () => {
      const ownSession = await server.client.createSession(server.projectRoot);
      const message = '[[tool=write {"file_path":"a.txt","content":"a"}]]';
      const body = { sessionId: ownSession, message };
      const answer = server.client.post('/api/harness/turn', body, json);
      const status = async () => {
        const listed = await server.client.get(`/api/harness/sessions/${ownSession}/turns`);
        return (listed.body['turns'] as { status: string }[])[0]?.status;
      };
      await expectSoon(async () => expect(await status()).toBe('waiting'));
      return { ownSession, answer };
    };

    it('is the end that the deletion brought', async () => {
      const { ownSession, answer } = await awaitParked();
      await server.client.request('DELETE', `/api/harness/session/${ownSession}`);
      const { status, body } = await answer;
      expect([status, body['outcome'], body['reason']]).toEqual([
        200,
        'interrupted',
        'session-deleted',
      ]);
    });

    it('is a typed error where no end of the turn is left to be read', async () => {
      const { ownSession, answer } = await awaitParked();
      await server.db.delete(sessions).where(eq(sessions.id, ownSession));
      const { status, body } = await answer;
      expect([status, body['error']]).toEqual([
        404,
        expect.objectContaining({ type: 'SESSION_NOT_FOUND' }),
      ]);
    });
  });

  it('comes at once where the client prefers that, and its turn goes on without a reader', async () => {
    const { status, headers, body } = await post('[[tokens=40 gap=10]]', {
      prefer: 'wait=10, respond-async',
    });
    const turnId = headers.get('x-turn-id');
    expect([status, headers.get('preference-applied'), headers.get('location')]).toEqual([
      202,
      'respond-async',
      `/api/harness/turns/${turnId}/events`,
    ]);
    expect(body['turn']).toMatchObject({ turnId, options: { onDisconnect: 'continue' } });
    await expectSoon(async () => expect((await turnOf(turnId)).status).toBe('completed'));
  });

  it('keeps an option that says what a reader’s absence means', async () => {
    const opts = { onDisconnect: 'cancel' };
    const { headers } = await post('[[tokens=500 gap=50]]', { prefer: 'respond-async' }, { opts });
    const turnId = headers.get('x-turn-id');
    await expectSoon(async () => expect((await turnOf(turnId)).status).toBe('interrupted'));
  });
});
