import { afterEach, describe, expect, it } from '@jest/globals';
import { runExample, words } from '../../support/clients/run-example.js';
import {
  startFaultyGateway,
  type FaultyGateway,
} from '../../support/clients/start-faulty-gateway.js';
import { given } from '../../support/processes/test-services.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the example of Python', () => {
  let gateway: FaultyGateway;
  const server = useServer();
  afterEach(() => gateway.close());

  it('resumes after the cut that it makes, and after those of the network', async () => {
    gateway = await startFaultyGateway(server.url, { cuts: [1_000, 1, 1] });
    const output = await runExample(given('TEST_PYTHON'), 'python/tour.py', gateway.url);
    expect(output).toContain(`${words(40)}\ncompleted`);
    const resumed = gateway.requests.filter(({ path }) => path.endsWith('/events'));
    const asked = [...output.matchAll(/\(on from (.*)\)/g)].map(([, id]) => id);
    expect(asked[0]).toMatch(/^turn_.*:1\.3$/);
    expect(resumed.map(({ headers }) => headers['last-event-id'])).toEqual(asked);
    expect(new Set(asked).size).toBe(3);
    expect(output).toMatch(/SESSION_NOT_FOUND 404: .* Again\? False/);
  });

  it('sends a turn again as the answer advises, under one key', async () => {
    gateway = await startFaultyGateway(server.url, { refusals: 2 });
    const output = await runExample(given('TEST_PYTHON'), 'python/tour.py', gateway.url);
    expect(output.match(/\(HTTP_503: again in 0\.0 s\)/g)).toHaveLength(2);
    expect(output).toContain(`${words(40)}\ncompleted`);
    const turns = gateway.requests.filter(({ path }) => path === '/api/harness/turn');
    const [first, ...more] = turns.map(({ headers }) => headers['idempotency-key']);
    expect(more.slice(0, 2)).toEqual([first, first]);
  });
});
