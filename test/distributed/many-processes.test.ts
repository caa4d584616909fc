import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { completeText, expectWhole, textOf } from '../support/clients/expect-whole.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';
import { useShared } from '../support/suite.js';

const LEASE_MS = 1_500;
const GRACE_MS = 1_000;
const QUEUE_DEPTH = 5;

describe('two APIs and two workers', () => {
  let here: ServerProcess;
  let there: ServerProcess;
  /** The worker that is alive: a test that stops it starts its successor. */
  let worker: ServerProcess;
  const deployment = useShared(startDeployment);
  beforeAll(async () => {
    const limits = { TURNPIKE_QUEUE_DEPTH: String(QUEUE_DEPTH) };
    const api = () => deployment.start('api', limits);
    [here, there, worker] = await Promise.all([api(), api(), startWorker()]);
  });

  const startWorker = () =>
    deployment.start('worker', {
      TURNPIKE_LEASE_MS: String(LEASE_MS),
      TURNPIKE_WORKER_CONCURRENCY: '1',
      TURNPIKE_DISCONNECT_GRACE_MS: String(GRACE_MS),
    });
  const goesOn = { onDisconnect: 'continue' };
  /** The pause is longer than any process takes to start; an interrupt ends it. */
  const endless = '[[tokens=5000 gap=20]]';

  it('send readers of any API the same turn', async () => {
    const sessionId = await here.client.createSession(deployment.projectRoot);
    const stream = await here.client.turn(sessionId, '[[tokens=60 gap=40]]', { opts: goesOn });
    await stream.until('chat:delta');
    const other = await there.client.follow(stream.header('x-turn-id'));
    const [first, second] = [await stream.all(), await other.all()];
    expect(textOf(second)).toBe(textOf(first));
    expect(textOf(first)).toBe(completeText(first));
  });

  it('goes on with a dead worker’s turn within its lease and a second', async () => {
    const dying = worker;
    const sessionId = await here.client.createSession(deployment.projectRoot);
    const stream = await here.client.turn(sessionId, endless, { opts: goesOn });
    await stream.until('chat:delta');
    worker = await startWorker();
    await dying.kill('SIGKILL');
    const killedAt = Date.now();
    await stream.until('turn:recovering');
    expect(Date.now() - killedAt).toBeLessThan(LEASE_MS + 1_000);
    await there.client.post('/api/harness/interrupt', { sessionId });
    expectWhole(await stream.all());
  });

  it('refuse a zombie: a worker that slept through its lease writes nothing more', async () => {
    const zombie = worker;
    const sessionId = await here.client.createSession(deployment.projectRoot);
    const stream = await here.client.turn(sessionId, endless, { opts: goesOn });
    await stream.until('chat:delta');
    zombie.child.kill('SIGSTOP');
    worker = await startWorker();
    await stream.until('turn:recovering');
    zombie.child.kill('SIGCONT');
    const seen = stream.frames.length;
    await stream.until(() => stream.frames.length > seen + 40);
    await there.client.post('/api/harness/interrupt', { sessionId });
    expectWhole(await stream.all());
    await zombie.kill('SIGTERM');
  });

  it('let a reader of a dead API come back elsewhere: its turn is not cancelled', async () => {
    const dying = await deployment.start('api', { TURNPIKE_DISCONNECT_GRACE_MS: String(GRACE_MS) });
    const sessionId = await dying.client.createSession(deployment.projectRoot);
    const stream = await dying.client.turn(sessionId, '[[tokens=150 gap=20]]');
    await stream.until('chat:delta');
    await dying.kill('SIGKILL');
    const back = await there.client.follow(stream.header('x-turn-id'), stream.frames.at(-1)?.id);
    const rest = await back.all();
    expectWhole([...stream.frames, ...rest]);
    expect(rest.at(-1)?.data).toEqual({ exitCode: 0 });
  });

  it('interrupt a turn from another API: in a tool, and while it waits', async () => {
    const sessionId = await here.client.createSession(deployment.projectRoot, { persona: 'SHELL' });
    const command = '[[tool=bash {"command":"echo once >> in-tool.txt; sleep 30"}]]';
    const opts = { ...goesOn, tools: ['bash'] };
    const stream = await here.client.turn(sessionId, command, { opts });
    await stream.until('tool:start');
    const behind = await here.client.createSession(deployment.projectRoot);
    const queued = await here.client.turn(behind, 'Hello', { opts });
    await queued.until('turn:queued');
    const interrupt = async (id: string) =>
      (await there.client.post('/api/harness/interrupt', { sessionId: id })).body['state'];
    expect(await interrupt(behind)).toBe('ended');
    expect((await queued.all()).at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    const askedAt = Date.now();
    expect(await interrupt(sessionId)).toBe('in-tool');
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 130, interrupted: true });
    expect(Date.now() - askedAt).toBeLessThan(5_000);
    const ran = await readFile(path.join(deployment.projectRoot, 'in-tool.txt'), 'utf8');
    expect(ran).toBe('once\n');
  });

  it('never accept more queued turns than the queue may have, from however many APIs', async () => {
    await worker.kill('SIGTERM');
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => here.client.createSession(deployment.projectRoot)),
    );
    const answers = await Promise.all(
      sessions.map(async (sessionId, index) => {
        const { url } = index % 2 === 0 ? here : there;
        const connection = new AbortController();
        const answer = await fetch(`${url}/api/harness/turn`, {
          method: 'POST',
          body: JSON.stringify({ sessionId, message: 'Hello', opts: goesOn }),
          signal: AbortSignal.any([connection.signal, AbortSignal.timeout(8_000)]),
        }).catch(() => undefined);
        const turnId = answer?.headers.get('x-turn-id') ?? undefined;
        const retryAfter = answer?.status === 429 ? answer.headers.get('retry-after') : undefined;
        connection.abort();
        return { turnId, retryAfter };
      }),
    );
    const refused = answers.filter(({ retryAfter }) => retryAfter !== undefined);
    expect(refused.map(({ retryAfter }) => retryAfter)).toEqual(
      Array.from({ length: sessions.length - QUEUE_DEPTH }, () => '5'),
    );
    worker = await startWorker();
    const accepted = answers.flatMap(({ retryAfter, turnId = '' }) =>
      retryAfter === undefined ? [turnId] : [],
    );
    for (const turnId of accepted) expectWhole(await (await there.client.follow(turnId)).all());
  });
});
