import { describe, expect, it } from '@jest/globals';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { useServer } from '../../support/processes/start-server.js';

const LONG = '[[tokens=5000 gap=10]]';

describe('a busy session', () => {
  const server = useServer({ environment: { TURNPIKE_SESSION_QUEUE: '4' } });

  const newSession = () => server.client.createSession(server.projectRoot);
  const send = (sessionId: string, message: string, onBusy: string, headers = {}) =>
    server.client.turn(sessionId, message, { opts: { onBusy, onDisconnect: 'continue' } }, headers);
  const exitOf = async (stream: StreamReader) => (await stream.all()).at(-1)?.data;
  const interrupt = (sessionId: string) =>
    server.client.post('/api/harness/interrupt', { sessionId });

  async function running(): Promise<{ sessionId: string; first: StreamReader }> {
    const sessionId = await newSession();
    const first = await send(sessionId, LONG, 'reject');
    await first.until('chat:delta');
    return { sessionId, first };
  }

  it('holds turns that are to wait, reports their queue positions, and runs them in order', async () => {
    const { sessionId, first } = await running();
    expect(first.header('x-turn-disposition')).toBe('started');
    const second = await send(sessionId, 'Second', 'enqueue');
    const third = await send(sessionId, 'Third', 'enqueue');
    expect(second.header('x-turn-disposition')).toBe('enqueued; position=1');
    expect(third.header('x-turn-disposition')).toBe('enqueued; position=2');
    expect((await second.until('turn:queued')).data).toEqual({ position: 1 });
    expect((await third.until('turn:queued')).data).toEqual({ position: 2 });
    await interrupt(sessionId);
    expect(await exitOf(first)).toEqual({ exitCode: 130, interrupted: true });
    expect(await exitOf(second)).toEqual({ exitCode: 0 });
    expect(await exitOf(third)).toEqual({ exitCode: 0 });
    const queued = third.frames.filter(({ event }) => event === 'turn:queued');
    expect(queued.map(({ data }) => data['position'])).toEqual([2, 1]);
    const { body } = await server.client.get(`/api/harness/sessions/${sessionId}/messages`);
    const messages = (body['messages'] as { role: string; parts: { text: string }[] }[])
      .filter(({ role }) => role === 'user')
      .map(({ parts }) => parts[0]?.text);
    expect(messages).toEqual([LONG, 'Second', 'Third']);
  });

  it('holds no more than it may, and ends a held one by itself', async () => {
    const { sessionId, first } = await running();
    const held: StreamReader[] = [];
    for (const text of ['a', 'b', 'c', 'd']) held.push(await send(sessionId, text, 'enqueue'));
    const refused = await server.client.post('/api/harness/turn', {
      sessionId,
      message: 'e',
      opts: { onBusy: 'enqueue' },
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(refused.body['error']).toMatchObject({ type: 'SESSION_QUEUE_FULL' });
    const turnId = held[1]?.header('x-turn-id') ?? '';
    const ended = await server.client.post(`/api/harness/turns/${turnId}/interrupt`, {});
    expect([ended.status, ended.body]).toEqual([200, { ok: true, turnId, state: 'ended' }]);
    await interrupt(sessionId);
    await first.all();
    const exits = await Promise.all(held.map(exitOf));
    expect(exits.map((exit) => exit?.['exitCode'])).toEqual([0, 130, 0, 0]);
  });

  it('is interrupted for a turn that wants to go next', async () => {
    const { sessionId, first } = await running();
    const held = await send(sessionId, 'Held', 'enqueue');
    const next = await send(sessionId, 'Next', 'interrupt');
    expect(next.header('x-turn-disposition')).toBe(
      `interrupting; turn=${first.header('x-turn-id')}`,
    );
    expect(await exitOf(first)).toEqual({ exitCode: 130, interrupted: true });
    expect((await first.until('turn:end')).data).toMatchObject({ reason: 'superseded' });
    expect(await exitOf(next)).toEqual({ exitCode: 0 });
    expect(await exitOf(held)).toEqual({ exitCode: 0 });
    const began = (stream: StreamReader) => stream.frames.find(({ event }) => event === 'turn:end');
    expect(began(next)).toBeDefined();
  });

  it('takes a message into the running turn, between two steps', async () => {
    const { client, modelRequests } = server;
    const sessionId = await newSession();
    const message = '[[tool=bash {"command":"sleep 1"}]] and then';
    const first = await client.turn(sessionId, message, {
      opts: { tools: ['bash'], onDisconnect: 'continue' },
    });
    const { data } = await first.until('approval:request');
    const steered = await send(sessionId, 'Mind the tests', 'steer');
    expect(steered.header('x-turn-id')).toBe(first.header('x-turn-id'));
    expect(steered.header('x-turn-disposition')).toMatch(/^steered; message=msg_/);
    await client.post(`/api/harness/approvals/${String(data['approvalId'])}`, { decision: 'deny' });
    expect((await first.until('message:joined')).data).toMatchObject({
      afterStep: 1,
      text: 'Mind the tests',
    });
    expect(await exitOf(first)).toEqual({ exitCode: 0 });
    expect(await exitOf(steered)).toEqual({ exitCode: 0 });
    expect(JSON.stringify(modelRequests.at(-1)?.body.messages)).toContain('Mind the tests');
    await (await send(sessionId, 'And now?', 'reject')).all();
    const sent = JSON.stringify(modelRequests.at(-1)?.body.messages);
    expect(sent.split('Mind the tests')).toHaveLength(2);
    expect(sent.indexOf('Mind the tests')).toBeLessThan(sent.indexOf('And now?'));
  });

  it('answers a message that comes while the last reply streams', async () => {
    const sessionId = await newSession();
    const first = await send(sessionId, '[[tokens=400 gap=20]]', 'reject');
    await first.until('chat:delta');
    const steered = await send(sessionId, 'One more thing', 'steer', { 'idempotency-key': 'k' });
    const again = await send(sessionId, 'One more thing', 'steer', { 'idempotency-key': 'k' });
    expect(again.header('x-turn-disposition')).toBe('repeated');
    expect(again.header('x-turn-id')).toBe(first.header('x-turn-id'));
    expect(await exitOf(first)).toEqual({ exitCode: 0 });
    expect(first.names().filter((name) => name === 'message:joined')).toHaveLength(1);
    expect(first.names().filter((name) => name === 'step:start')).toHaveLength(2);
    await Promise.all([steered.all(), again.all()]);
  });

  it('ends every turn of a session that is deleted, held ones too', async () => {
    const { client } = server;
    const { sessionId, first } = await running();
    const held = [await send(sessionId, 'a', 'enqueue'), await send(sessionId, 'b', 'enqueue')];
    const { status } = await client.request('DELETE', `/api/harness/session/${sessionId}`);
    expect(status).toBe(200);
    for (const stream of [first, ...held]) {
      expect(await exitOf(stream)).toEqual({ exitCode: 130, interrupted: true });
      expect((await stream.until('turn:end')).data).toMatchObject({ reason: 'session-deleted' });
    }
    expect(held[0]?.names()).not.toContain('chat:delta');
  });

  it.each(['[[fail=400 after=8]]', '[[loop=3 tool=glob {"pattern":"*"}]]'])(
    'keeps every message that steers a turn which ends otherwise: %s',
    async (message) => {
      const { client } = server;
      const sessionId = await newSession();
      const first = await client.turn(sessionId, message, {
        opts: { maxTurns: 2, onDisconnect: 'continue' },
      });
      await first.until('step:start');
      const sent = await Promise.allSettled(
        [1, 2, 3].map((n) => send(sessionId, `note ${n}`, 'steer')),
      );
      await first.all();
      for (const one of sent) if (one.status === 'fulfilled') await one.value.all();
      const { body } = await client.get(`/api/harness/sessions/${sessionId}/messages`);
      const messages = JSON.stringify(body['messages']);
      for (const n of [1, 2, 3]) expect(messages.split(`note ${n}"`)).toHaveLength(2);
    },
  );

  it('takes no files into a running turn', async () => {
    const { sessionId, first } = await running();
    const answer = await server.client.post('/api/harness/turn', {
      sessionId,
      message: 'See this',
      attachments: ['/etc/hostname'],
      opts: { onBusy: 'steer' },
    });
    expect([answer.status, answer.body['error']]).toMatchObject([400, { type: 'INVALID_REQUEST' }]);
    await interrupt(sessionId);
    await first.all();
  });
});

/** A longer series is for a release. */
const TURNS = process.env['TEST_RELEASE'] === undefined ? 20 : 100;

describe(`${TURNS} simultaneous turns for one session`, () => {
  const server = useServer({ environment: { TURNPIKE_SESSION_QUEUE: '200' } });

  async function race(onBusy: string, message = 'Hello') {
    const { client, projectRoot } = server;
    const sessionId = await client.createSession(projectRoot);
    const settled = await Promise.allSettled(
      Array.from({ length: TURNS }, () =>
        client.turn(sessionId, message, { opts: { onBusy, onDisconnect: 'continue' } }),
      ),
    );
    const streams = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const refusals = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const exits = await Promise.all(
      streams.map(async (stream) => (await stream.all()).at(-1)?.data['exitCode']),
    );
    return { sessionId, streams, refusals: refusals.map(String), exits };
  }

  const turnsOf = (streams: readonly StreamReader[]) =>
    new Set(streams.map((stream) => stream.header('x-turn-id')));

  it('are one, where the others are refused', async () => {
    const { streams, refusals } = await race('reject', '[[tokens=200 gap=20]]');
    expect(streams).toHaveLength(1);
    expect(refusals).toHaveLength(TURNS - 1);
    for (const refusal of refusals) expect(refusal).toContain('TURN_IN_PROGRESS');
  });

  it('are all run, one after the other, where they wait', async () => {
    const { streams, refusals, exits } = await race('enqueue');
    expect(refusals).toEqual([]);
    expect(turnsOf(streams).size).toBe(TURNS);
    expect(exits).toEqual(Array.from({ length: TURNS }, () => 0));
  });

  it('each have one end, and the last one its answer, where they interrupt', async () => {
    // Longer than it takes to post them all.
    const { streams, refusals, exits } = await race('interrupt', '[[tokens=200 gap=20]]');
    expect(refusals).toEqual([]);
    expect(turnsOf(streams).size).toBe(TURNS);
    expect(exits.filter((exit) => exit === 0)).toHaveLength(1);
    expect(exits.filter((exit) => exit === 130)).toHaveLength(TURNS - 1);
  });

  it('are one turn that got every message, where they steer', async () => {
    const { streams, refusals, sessionId } = await race('steer', '[[tokens=200 gap=20]]');
    expect(refusals).toEqual([]);
    expect(turnsOf(streams).size).toBe(1);
    const steered = streams[0]?.names().filter((name) => name === 'message:joined');
    expect(steered).toHaveLength(TURNS - 1);
    const { body } = await server.client.get(
      `/api/harness/sessions/${sessionId}/messages?limit=200`,
    );
    const messages = (body['messages'] as { role: string }[]).filter(({ role }) => role === 'user');
    expect(messages).toHaveLength(TURNS);
  });
});
