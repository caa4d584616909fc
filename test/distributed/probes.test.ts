import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectSoon } from '../support/expect-soon.js';
import { expectWhole } from '../support/clients/expect-whole.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';
import { useShared } from '../support/suite.js';

describe('the probes of a process', () => {
  let api: ServerProcess;
  let worker: ServerProcess;
  const deployment = useShared(startDeployment);
  beforeAll(async () => {
    api = await deployment.start('api');
    // A worker in a pod has no key yet, and is asked under the pod's address.
    worker = await deployment.start('worker', {
      TURNPIKE_DRAIN_MS: '60000',
      TURNPIKE_HOST: '0.0.0.0',
      TURNPIKE_PROJECT_ROOTS: deployment.projectRoot,
    });
  });

  const statusOf = async (path: string): Promise<number> => (await worker.client.get(path)).status;

  it('say while it stops that it is alive and not ready, until its turns have ended', async () => {
    const sessionId = await api.client.createSession(deployment.projectRoot);
    const stream = await api.client.turn(sessionId, '[[tokens=5000 gap=20]]');
    await stream.until('chat:delta');
    expect(await statusOf('/ready')).toBe(200);
    const exited = worker.kill('SIGTERM');
    await expectSoon(async () => {
      const { status, body } = await worker.client.get('/ready');
      expect([status, body]).toEqual([503, { ready: false, checks: { process: 'stopping' } }]);
    });
    expect(await statusOf('/live')).toBe(200);
    await api.client.post('/api/harness/interrupt', { sessionId });
    expect(await exited).toBe(0);
    expectWhole(await stream.all());
  });

  it('say that it is alive while its database is away: a restart would not help', async () => {
    worker = await deployment.start('worker', { TURNPIKE_HOST: '0.0.0.0' });
    const host = { Host: '10.1.2.3:4400' };
    expect((await worker.client.request('GET', '/live', { headers: host })).status).toBe(200);
    await deployment.services.postgres?.stop('SIGQUIT');
    await expectSoon(async () => {
      expect([await statusOf('/ready'), await statusOf('/health')]).toEqual([503, 503]);
    });
    expect((await worker.client.get('/live')).body).toEqual({ live: true });
    await deployment.services.postgres?.start();
    await expectSoon(async () => expect(await statusOf('/ready')).toBe(200));
  });
});
