import { beforeAll, describe, expect, it } from '@jest/globals';
import { expectSoon } from '../support/expect-soon.js';
import { shareServices, useDeployment } from '../support/processes/start-deployment.js';
import { packageClients } from '../support/clients/package-clients.js';
import { wireClients, type WireClient } from '../support/clients/wire-clients.js';
import { answer, WORDS } from '../support/crash/killed-server.js';

const everyClient = { ...wireClients, ...packageClients };

describe('a worker that is killed in the middle of an answer, under one unbroken connection', () => {
  const clients = new Map<string, WireClient>();
  const { deployment } = useDeployment(shareServices);
  beforeAll(async () => {
    const { url } = await deployment.start('api', {
      TURNPIKE_PROJECT_ROOT: deployment.projectRoot,
    });
    // The end of the lease would come after that of the suite.
    const lease = { TURNPIKE_LEASE_MS: '600000' };
    const dying = await deployment.start('worker', lease);
    const asked = {
      url,
      projectRoot: deployment.projectRoot,
      message: `[[tokens=${WORDS} gap=100]]`,
    };
    for (const [name, open] of Object.entries(everyClient)) clients.set(name, await open(asked));
    await expectSoon(() => {
      for (const client of clients.values()) expect(client.received()).toContain('word5 ');
    });
    // Killed first: on a slow machine the answer is over before another worker has started.
    await dying.kill('SIGKILL');
    await deployment.start('worker', lease);
  });

  it.each(Object.keys(everyClient))('leaves %s with the answer, said once', async (name) => {
    const client = clients.get(name);
    await client?.ended;
    // The client was there when the first attempt streamed, and when the second one began again.
    expect(client?.received()).toMatch(/^word1 word2 .*word5 .*word1 word2 .* word80$/);
    expect(client?.answer()).toBe(answer);
  });
});
