import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { defineRedis, defineSentinel } from '../../scripts/services/start-redis.mjs';
import type { Service } from '../../scripts/services/start-services.mjs';
import { completeText, expectWhole, textOf } from '../support/clients/expect-whole.js';
import { expectSoon } from '../support/expect-soon.js';
import { writeCertificate } from '../support/processes/own-certificate.js';
import { startRedisCluster } from '../support/processes/redis-cluster.js';
import { startDeployment, type Deployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';
import { newFolder } from '../support/suite.js';

const TURNS = 12;
const opts = { onDisconnect: 'continue' };

let deployment: Deployment;
const redises: Service[] = [];
const folder = newFolder();
beforeAll(async () => {
  deployment = await startDeployment();
});
afterAll(async () => {
  await deployment.close();
  await Promise.all(redises.map((redis) => redis.stop('SIGKILL')));
});

async function startRedis(name: string, settings: Record<string, string> = {}): Promise<Service> {
  const redis = await defineRedis({ folder, name, settings });
  await redis.start();
  redises.push(redis);
  return redis;
}

async function startBoth(environment: Record<string, string>) {
  return {
    api: await deployment.start('api', environment),
    worker: await deployment.start('worker', environment),
  };
}

async function runTurn(api: ServerProcess, message = 'Hello'): Promise<void> {
  const sessionId = await api.client.createSession(deployment.projectRoot);
  const frames = await (await api.client.turn(sessionId, message, { opts })).all();
  expectWhole(frames);
  expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
}

/** Turns that stream while something happens: each is read whole and once, by who was there and who comes. */
async function expectNothingLost(api: ServerProcess, happen: () => Promise<void>): Promise<void> {
  const streams = await Promise.all(
    Array.from({ length: TURNS }, async () => {
      const sessionId = await api.client.createSession(deployment.projectRoot);
      return api.client.turn(sessionId, '[[tokens=120 gap=20]]', { opts });
    }),
  );
  await Promise.all(streams.map((stream) => stream.until('chat:delta')));
  await happen();
  for (const stream of streams) {
    const frames = await stream.all();
    expectWhole(frames);
    expect(frames.at(-1)?.data).toEqual({ exitCode: 0 });
    expect(textOf(frames)).toBe(completeText(frames));
    const again = await (await api.client.follow(stream.header('x-turn-id'))).all();
    expect(textOf(again)).toBe(completeText(frames));
  }
  await expectSoon(async () => {
    expect((await api.client.get('/ready')).body).toMatchObject({ ready: true });
  });
  await runTurn(api);
}

describe('a cluster', () => {
  it('goes on when a replica takes the place of a master that died', async () => {
    const cluster = await startRedisCluster({ hasReplicas: true });
    try {
      const { api, worker } = await startBoth({ REDIS_URL: cluster.url });
      await runTurn(api);
      await expectNothingLost(api, async () => cluster.masters[0]?.stop('SIGKILL'));
      expect(await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')])).toEqual([0, 0]);
    } finally {
      await cluster.close();
    }
  });
});

describe('sentinels', () => {
  it('name the next master when theirs died', async () => {
    const master = await startRedis('master');
    const replica = await startRedis('replica', { replicaof: `127.0.0.1 ${master.port}` });
    const sentinel = await defineSentinel({ folder, master: 'main', masterPort: master.port });
    await sentinel.start();
    redises.push(sentinel);
    const asked = new Redis(sentinel.port);
    await expectSoon(async () => {
      expect(await asked.call('sentinel', 'replicas', 'main')).toHaveLength(1);
    });
    const url = `redis+sentinel://127.0.0.1:${sentinel.port}/main/1`;
    const { api, worker } = await startBoth({ REDIS_URL: url });
    await runTurn(api);
    await expectNothingLost(api, () => master.stop('SIGKILL'));
    expect(await asked.call('sentinel', 'get-master-addr-by-name', 'main')).toEqual([
      '127.0.0.1',
      String(replica.port),
    ]);
    expect(await Promise.all([api.kill('SIGTERM'), worker.kill('SIGTERM')])).toEqual([0, 0]);
    asked.disconnect();
  });
});

describe('TLS', () => {
  it('is spoken with a certificate of one’s own, and an unknown authority is refused', async () => {
    const { certificate, key } = await writeCertificate(folder);
    const redis = await startRedis('tls', {
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': certificate,
      'tls-auth-clients': 'yes',
    });
    const plain = new Redis(redis.port);
    const port = redis.port;
    // The same port speaks TLS alone from here on.
    await plain.config('SET', 'port', '0').catch(() => undefined);
    await plain.config('SET', 'tls-port', String(port));
    plain.disconnect();
    const REDIS_URL = `rediss://127.0.0.1:${port}`;
    await expect(deployment.start('api', { REDIS_URL })).rejects.toThrow(
      /REDIS_URL names 127\.0\.0\.1:\d+, which cannot be used: self.signed certificate/,
    );
    const { api } = await startBoth({
      REDIS_URL,
      TURNPIKE_REDIS_CA_FILE: certificate,
      TURNPIKE_REDIS_CERT_FILE: certificate,
      TURNPIKE_REDIS_KEY_FILE: key,
    });
    await runTurn(api);
  });
});

describe('a server that may drop keys', () => {
  it('is warned of at the start', async () => {
    const redis = await startRedis('evicting', { 'maxmemory-policy': 'allkeys-lru' });
    const REDIS_URL = `redis://127.0.0.1:${redis.port}`;
    const { stderr } = await deployment.start('worker', { REDIS_URL });
    await expectSoon(() => {
      const lines = stderr().trim().split('\n');
      expect(lines).toHaveLength(1);
      const warning: unknown = JSON.parse(lines[0] ?? '');
      expect(warning).toMatchObject({
        level: 'warn',
        maxmemoryPolicy: 'allkeys-lru',
        msg: expect.stringMatching(/^Redis drops keys when its memory is full/),
      });
    });
  });
});
