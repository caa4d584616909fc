import { describe, expect, it } from '@jest/globals';
import { expectWhole } from '../support/clients/expect-whole.js';
import { parseSamples, valueOf } from '../support/metrics/scrape.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';
import { useShared } from '../support/suite.js';

describe('a conversation on two workers', () => {
  const deployment = useShared(startDeployment);
  const endedAt = async ({ url }: ServerProcess): Promise<number> => {
    const samples = parseSamples(await (await fetch(`${url}/metrics`)).text());
    return valueOf(samples, 'turnpike_turns_ended_total', { outcome: 'completed' }) ?? 0;
  };

  it('goes on at the worker that remembers it, and at the other once that is dead', async () => {
    const [api, first] = await Promise.all([deployment.start('api'), deployment.start('worker')]);
    const sessionId = await api.client.createSession(deployment.projectRoot);
    const run = async () => (await api.client.turn(sessionId, 'Next')).all();
    await run();
    const second = await deployment.start('worker');
    for (let turn = 0; turn < 20; turn += 1) await run();
    // A machine that is slow for 50 ms lets the other worker have a turn.
    expect(await endedAt(second)).toBeLessThanOrEqual(5);
    // The turn before this one belongs to the worker that dies.
    while ((await endedAt(first)) + (await endedAt(second)) < 21) await run();
    await first.kill('SIGKILL');
    expectWhole(await run());
    expect(await endedAt(second)).toBeGreaterThan(0);
  });
});
