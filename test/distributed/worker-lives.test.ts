import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { turns } from '../../src/storage/schema.js';
import { expectSoon } from '../support/expect-soon.js';
import { Client } from '../support/clients/client.js';
import { expectWhole } from '../support/clients/expect-whole.js';
import { shareServices, useDeployment } from '../support/processes/start-deployment.js';

/** No lease ends while the suite runs. */
const lease = { TURNPIKE_LEASE_MS: '600000', TURNPIKE_WORKER_CONCURRENCY: '1' };

describe('the turns of workers whose leases last', () => {
  const { deployment, database } = useDeployment(shareServices);

  async function begin(message: string) {
    const { url } = await deployment.start('api', {
      TURNPIKE_PROJECT_ROOT: deployment.projectRoot,
    });
    const client = new Client(url);
    const sessionId = await client.createSession(deployment.projectRoot);
    const stream = await client.turn(sessionId, message);
    return { stream, turnId: stream.header('x-turn-id') ?? '' };
  }
  const rowOf = async (turnId: string) => {
    const [row] = await database.db.select().from(turns).where(eq(turns.id, turnId));
    return row;
  };

  it('are taken over from one that died, and left to one that is stopped or started anew beside it', async () => {
    const stopped = await deployment.start('worker', lease);
    const ofStopped = await begin('Stopped [[tokens=60 gap=50]]');
    await ofStopped.stream.until('chat:delta');
    // Stopped for as long as it takes to find that the other one is gone, and longer.
    stopped.child.kill('SIGSTOP');
    const stall = await ofStopped.stream.until('turn:stalled');
    expect(stall).toMatchObject({ id: '', data: { leaseUntil: expect.any(String) } });
    expect(stall.data).toHaveProperty('silentMs');
    const dying = await deployment.start('worker', lease);
    const ofDying = await begin('Dying [[tokens=60 gap=50]]');
    await ofDying.stream.until('chat:delta');
    await dying.kill('SIGKILL');
    await deployment.start('worker', lease);
    await expectSoon(async () => expect(await rowOf(ofDying.turnId)).toMatchObject({ attempt: 2 }));
    const frames = await ofDying.stream.all();
    expect(frames.map(({ event }) => event)).toContain('turn:recovering');
    expect(await rowOf(ofStopped.turnId)).toMatchObject({ attempt: 1, status: 'running' });
    stopped.child.kill('SIGCONT');
    const whole = await ofStopped.stream.all();
    // What was said of the worker is no event, and breaks no order.
    expectWhole(whole);
    expect(whole.map(({ event }) => event)).not.toContain('turn:recovering');
    expect(await rowOf(ofStopped.turnId)).toMatchObject({ attempt: 1, status: 'completed' });
    await stopped.kill('SIGKILL');
  });
});
