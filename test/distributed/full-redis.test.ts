import { beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { expectWhole } from '../support/clients/expect-whole.js';
import { expectSoon } from '../support/expect-soon.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';
import { useShared } from '../support/suite.js';

const opts = { onDisconnect: 'continue' };

describe('a Redis that answers and takes no writes', () => {
  let api: ServerProcess;
  const deployment = useShared(startDeployment);
  beforeAll(async () => {
    [api] = await Promise.all([deployment.start('api'), deployment.start('worker')]);
  });

  const send = async (...command: [string, ...string[]]): Promise<void> => {
    const redis = new Redis(deployment.services.redisUrl);
    await redis.call(...command);
    await redis.quit();
  };
  const isReady = (ready: boolean, checks: object) =>
    expectSoon(async () => {
      expect((await api.client.get('/ready')).body).toMatchObject({ ready, checks });
    });

  it.each<[string, string, [string, ...string[]], [string, ...string[]]]>([
    [
      'full',
      'Redis is full',
      ['CONFIG', 'SET', 'maxmemory', '1mb'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
    ],
    [
      'a replica',
      'Redis is read-only',
      ['REPLICAOF', '127.0.0.1', '1'],
      ['REPLICAOF', 'NO', 'ONE'],
    ],
  ])(
    'says so to probes and to new turns, which run later: %s',
    async (_name, fault, begin, end) => {
      const newSession = () => api.client.createSession(deployment.projectRoot);
      const [streamed, awaited] = [await newSession(), await newSession()];
      await isReady(true, { queue: 'ok', log: 'ok' });
      await send(...begin);
      await isReady(false, { database: 'ok', queue: fault, log: fault });

      const stream = await api.client.turn(streamed, 'Hello', { opts });
      const body = { sessionId: awaited, message: 'Hello', opts };
      const headers = { accept: 'application/json', 'idempotency-key': `key-${fault}` };
      const ask = () => api.client.post('/api/harness/turn', body, headers);
      // A repeat waits as the first one did.
      const refusals = [await ask(), await ask()];
      const details = { turnId: expect.any(String) };
      for (const refused of refusals) {
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
        expect(refused.body).toMatchObject({ error: { type: 'QUEUE_UNAVAILABLE', details } });
      }
      const said = await stream.until((frame) => frame.data['reason'] !== undefined);
      expect(said).toMatchObject({
        event: 'turn:queued',
        data: { reason: 'queue-unavailable' },
      });

      await send(...end);
      await isReady(true, { queue: 'ok', log: 'ok' });
      expectWhole(await stream.all());
      const joined = await ask();
      const turnIds = refusals.map((one) => (one.body['error'] as { details: unknown }).details);
      expect([joined.status, joined.body]).toEqual([
        200,
        expect.objectContaining({ outcome: 'completed' }),
      ]);
      expect(turnIds).toEqual([
        { turnId: joined.body['turnId'] },
        { turnId: joined.body['turnId'] },
      ]);
    },
  );
});
