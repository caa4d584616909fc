import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { READER_LEASE_MS } from '../../../src/turn/lifecycle/presence.js';
import { type TestServer, useServer } from '../../support/processes/start-server.js';

/**
 * The grace is long enough for a reader of this test to come back on a busy machine, and short enough to wait for:
 * turns that outlast it take five seconds.
 */
const GRACE_MS = 2_000;

/** Milliseconds in which the turn has to end. */
const ENDED_BY_MS = 60_000;

describe('a client that goes away', () => {
  const server = useServer({ environment: { TURNPIKE_DISCONNECT_GRACE_MS: `${GRACE_MS}` } });

  async function startTurn(message: string, opts: object = {}) {
    const sessionId = await server.client.createSession(server.projectRoot);
    const stream = await server.client.turn(sessionId, message, { opts });
    await stream.until('chat:delta');
    return { sessionId, stream, turnId: stream.header('x-turn-id') };
  }

  it('ends its turn after the grace when nobody else reads', async () => {
    const { stream, turnId } = await startTurn('[[tokens=5000 gap=10]]');
    stream.leave();
    // A poll is no reader: the status shows when the turn has ended.
    const ended = await pollTurn(server, turnId, (turn) => turn['status'] !== 'running');
    expect(ended).toMatchObject({ status: 'interrupted', exitCode: 130, endReason: 'disconnect' });
  });

  it('keeps its turn when it comes back within the grace', async () => {
    const { stream, turnId } = await startTurn('[[tokens=250 gap=20]]');
    stream.leave();
    const back = await server.client.follow(turnId, stream.frames.at(-1)?.id);
    expect((await back.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('does not end a turn that somebody else still reads', async () => {
    const { stream, turnId } = await startTurn('[[tokens=250 gap=20]]');
    const other = await server.client.follow(turnId);
    await other.until('chat:delta');
    stream.leave();
    expect((await other.all()).at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('leaves a turn alone whose onDisconnect is continue', async () => {
    const { stream, turnId } = await startTurn('[[tokens=250 gap=20]]', {
      onDisconnect: 'continue',
    });
    stream.leave();
    const ended = await pollTurn(server, turnId, (turn) => turn['status'] !== 'running');
    expect(ended).toMatchObject({ status: 'completed' });
  });

  /** Milliseconds until as many turns that are sent together have begun, at least 15. */
  async function timeOfStarts(count: number): Promise<number> {
    const from = performance.now();
    const starts = Array.from({ length: count }, () => startTurn('[[tokens=250 gap=20]]'));
    for (const { stream } of await Promise.all(starts)) stream.leave();
    return Math.max(15, performance.now() - from);
  }

  it('during set-up leaves no turn running for ever', async () => {
    const { client, projectRoot, url } = server;
    const sessionId = await client.createSession(projectRoot);
    const body = JSON.stringify({ sessionId, message: '[[tokens=5000 gap=10]]' });
    const { hostname, port } = new URL(url);
    const socket = net.connect(Number(port), hostname);
    await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
    const head = `POST /api/harness/turn HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${body.length}\r\n\r\n`;
    await new Promise<void>((resolve) => socket.write(head + body, () => resolve()));
    socket.destroy();
    // The session is free again, whether the turn was accepted before the socket closed or not.
    const free = await pollSession(server, sessionId);
    expect(free).toBe(200);
  });

  it('at any moment of the start of its turn ends it after the grace, not later', async () => {
    const { client, projectRoot } = server;
    const startMs = await timeOfStarts(30);
    const sessions = await Promise.all(
      Array.from({ length: 30 }, () => client.createSession(projectRoot)),
    );
    await Promise.all(
      sessions.map((sessionId, nth) => leaveAfter(server, sessionId, (nth * startMs) / 30)),
    );
    const turns = await Promise.all(
      sessions.map((sessionId) => pollOnlyTurn(server, sessionId, ENDED_BY_MS)),
    );
    const begun = turns.filter((turn) => turn !== undefined);
    expect(begun.length).toBeGreaterThan(0);
    expect(begun.map(({ reason }) => reason)).toEqual(begun.map(() => 'disconnect'));
    const lasted = begun.map(
      ({ createdAt, endedAt }) => Date.parse(endedAt) - Date.parse(createdAt),
    );
    // A process that was stalled for seconds gives readers one lease more to come back.
    expect(Math.max(...lasted)).toBeLessThan(2 * READER_LEASE_MS);
  });
});

/** Polls until the turn has ended. */
async function pollTurn(
  server: TestServer,
  turnId: string,
  done: (turn: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  const until = Date.now() + ENDED_BY_MS;
  for (;;) {
    const { body } = await server.client.get(`/api/harness/turns/${turnId}`);
    const turn = body['turn'] as Record<string, unknown>;
    if (done(turn) || Date.now() > until) return turn;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function pollSession(server: TestServer, sessionId: string): Promise<number> {
  const until = Date.now() + ENDED_BY_MS;
  for (;;) {
    const response = await fetch(`${server.url}/api/harness/turn`, {
      method: 'POST',
      body: JSON.stringify({ sessionId, message: 'Hello' }),
    });
    await response.text();
    if (response.status === 200 || Date.now() > until) return response.status;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Sends a turn and closes its connection some milliseconds after the last byte was given away. */
async function leaveAfter({ url }: TestServer, sessionId: string, ms: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({ sessionId, message: '[[tokens=5000 gap=10]]' });
  const socket = net.connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = `POST /api/harness/turn HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${body.length}\r\n\r\n`;
  await new Promise<void>((resolve) => socket.write(head + body, () => resolve()));
  await sleep(ms);
  socket.destroy();
}

interface EndedTurn {
  createdAt: string;
  endedAt: string;
  reason: string | null;
}

/** @returns undefined where the session has no turn. */
async function pollOnlyTurn(
  { client }: TestServer,
  sessionId: string,
  withinMs: number,
): Promise<EndedTurn | undefined> {
  const until = Date.now() + withinMs;
  for (;;) {
    const { body } = await client.get(`/api/harness/sessions/${sessionId}/turns`);
    const [turn] = body['turns'] as (EndedTurn | (EndedTurn & { endedAt: null }))[];
    if (turn === undefined || turn.endedAt !== null) return turn;
    if (Date.now() > until)
      throw new Error(`the turn of ${sessionId} has not ended: ${JSON.stringify(turn)}`);
    await sleep(50);
  }
}
