import { beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { expectSoon } from '../support/expect-soon.js';
import { completeText, expectWhole, textOf } from '../support/clients/expect-whole.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';
import { useShared } from '../support/suite.js';

const opts = { onDisconnect: 'continue' };

/** Milliseconds that a stop without a drain takes at most, whatever is gone. */
const STOP_MS = 15_000;

describe('a service that goes away in the middle of a turn', () => {
  let api: ServerProcess;
  let worker: ServerProcess;
  const deployment = useShared(startDeployment);
  beforeAll(async () => {
    [api, worker] = await Promise.all([deployment.start('api'), startWorker()]);
  });

  const startWorker = () =>
    deployment.start('worker', {
      TURNPIKE_WORKER_CONCURRENCY: '1',
      // The job of a worker that could not release it is free when its lock ends.
      TURNPIKE_LEASE_MS: '2000',
    });
  const isReady = (ready: boolean) =>
    expectSoon(async () => {
      expect((await api.client.get('/ready')).body).toMatchObject({ ready });
    });

  async function startTurn(message: string, headers: Record<string, string> = {}) {
    const sessionId = await api.client.createSession(deployment.projectRoot);
    const stream = await api.client.turn(sessionId, message, { opts }, headers);
    await stream.until('chat:delta');
    return { sessionId, stream, turnId: stream.header('x-turn-id') };
  }

  it('Redis killed and started again: the turn goes on, and its reader gets all of it', async () => {
    const { stream, turnId } = await startTurn('[[tokens=100 gap=20]]');
    await deployment.services.redis?.stop('SIGKILL');
    await isReady(false);
    await deployment.services.redis?.start();
    const frames = await stream.all();
    expectWhole(frames);
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(textOf(frames)).toBe(completeText(frames));
    const again = await (await api.client.follow(turnId)).all();
    expect(textOf(again)).toBe(completeText(frames));
    const { body } = await api.client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({ status: 'completed', attempt: 1 });
  });

  it('Redis away until after the turn’s end: the reader finds it in the archive', async () => {
    const { stream, turnId } = await startTurn('[[tokens=40 gap=20]]');
    await deployment.services.redis?.stop('SIGKILL');
    const frames = await stream.all();
    expectWhole(frames);
    expect(textOf(frames)).toBe(completeText(frames));
    await deployment.services.redis?.start();
    const again = await (await api.client.follow(turnId)).all();
    expect(textOf(again)).toBe(completeText(frames));
  });

  it('Redis emptied: the log is given back what it lost, for whoever comes', async () => {
    const { stream, turnId } = await startTurn('[[tokens=80 gap=20]]');
    const redis = new Redis(deployment.services.redisUrl);
    await redis.flushall();
    await redis.quit();
    const late = await api.client.follow(turnId);
    const [frames, again] = [await stream.all(), await late.all()];
    for (const seen of [frames, again]) {
      expectWhole(seen);
      expect(textOf(seen)).toBe(completeText(frames));
    }
  });

  it('Redis emptied while turns wait: they are enqueued again, and run', async () => {
    const { stream: busy } = await startTurn('[[tokens=60 gap=20]]');
    const sessionId = await api.client.createSession(deployment.projectRoot);
    const queued = await api.client.turn(sessionId, 'Hello', { opts });
    await queued.until('turn:queued');
    const redis = new Redis(deployment.services.redisUrl);
    await redis.flushall();
    await redis.quit();
    for (const stream of [busy, queued]) expectWhole(await stream.all());
  });

  it('Redis gone for good: who is asked to stop ends, and the next ones go on with the turn', async () => {
    const { turnId } = await startTurn('[[tokens=200 gap=20]]');
    await deployment.services.redis?.stop('SIGKILL');
    const askedAt = Date.now();
    const codes = await Promise.all([worker, api].map((server) => server.kill('SIGTERM')));
    expect(codes).toEqual([0, 0]);
    expect(Date.now() - askedAt).toBeLessThan(STOP_MS);
    await deployment.services.redis?.start();
    [api, worker] = await Promise.all([deployment.start('api'), startWorker()]);
    const frames = await (await api.client.follow(turnId)).all();
    expectWhole(frames);
    expect(textOf(frames)).toBe(completeText(frames));
    const { body } = await api.client.get(`/api/harness/turns/${turnId}`);
    expect(body['turn']).toMatchObject({ status: 'completed', attempt: 2 });
  });

  it('Redis hangs: who is asked to stop ends all the same', async () => {
    const idle = await Promise.all([deployment.start('api'), deployment.start('worker')]);
    const pid = deployment.services.redis?.pid() ?? 0;
    process.kill(pid, 'SIGSTOP');
    try {
      const askedAt = Date.now();
      const codes = await Promise.all(idle.map((server) => server.kill('SIGTERM')));
      expect(codes).toEqual([0, 0]);
      expect(Date.now() - askedAt).toBeLessThan(STOP_MS);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('PostgreSQL away: new turns get 503, accepted ones go on when it is back', async () => {
    const { sessionId, stream } = await startTurn(
      '[[tokens=40 gap=20]] [[tool=glob {"pattern":"*"}]]',
    );
    await deployment.services.postgres?.stop('SIGQUIT');
    const turn = { sessionId, message: 'Hello' };
    const refused = await api.client.post('/api/harness/turn', turn);
    expect(refused.status).toBe(503);
    expect(refused.body).toMatchObject({ error: { type: 'STORAGE_UNAVAILABLE' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await isReady(false);
    // The reader has the words; their step cannot be stored.
    await stream.until((frame) => String(frame.data['text']).includes('word40'));
    await deployment.services.postgres?.start();
    const frames = await stream.all();
    expectWhole(frames);
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(textOf(frames)).toBe(completeText(frames));
    await isReady(true);
  });
});
