import { describe, expect, it } from '@jest/globals';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { turns } from '../../../src/storage/schema.js';

/** A message that calls a tool. */
const callOf = (id: number, name: string, input: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

describe('limits of POST /mcp', () => {
  const server = useServer({
    environment: { TURNPIKE_READERS_PER_PRINCIPAL: '3', TURNPIKE_READERS: '100' },
  });
  const clientOf = async (principal: string, limits = {}): Promise<KeyedClient> =>
    new KeyedClient(server.url, (await makeKey(server, { principal, limits })).secret);

  it('count each call: a list of them is refused, and runs none', async () => {
    const ann = await clientOf('ann', { requestsPerMinute: 5 });
    const calls = Array.from({ length: 100 }, (_, id) =>
      callOf(id, 'start_turn', { message: 'Hello', waitSeconds: 0 }),
    );
    const listed = await ann.send('POST', '/mcp', calls);
    expect(listed).toMatchObject({
      status: 400,
      body: {
        error: { message: expect.stringContaining('send each message of the list by itself') },
      },
    });
    expect(await server.db.$count(turns)).toBe(0);
    const statuses: number[] = [];
    for (const call of calls.slice(0, 6))
      statuses.push((await ann.send('POST', '/mcp', call)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
    expect(await server.db.$count(turns)).toBe(4);
  });

  it('count calls that wait as readers, and let a neighbour in', async () => {
    const [eve, bob] = [await clientOf('eve'), await clientOf('bob')];
    const begun = await eve.send(
      'POST',
      '/mcp',
      callOf(1, 'start_turn', { message: 'Slowly [[tokens=4000 gap=20]]', waitSeconds: 0 }),
    );
    const turnId = /"turnId":"([^"]+)/.exec(begun.text)?.[1];
    expect(turnId).toBeDefined();
    const waiting = new AbortController();
    const read = (client: KeyedClient) =>
      fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...client.credential },
        body: JSON.stringify(callOf(2, 'read_turn', { turnId, waitSeconds: 50 })),
        signal: waiting.signal,
      });
    const waits = [1, 2, 3].map(() => read(eve).catch((error: unknown) => error));
    const asked = { turnId, waitSeconds: 1 };
    await expectSoon(async () => {
      const refused = await eve.send('POST', '/mcp', callOf(3, 'read_turn', asked));
      expect([refused.status, refused.body['error']]).toMatchObject([
        429,
        { type: 'TOO_MANY_READERS' },
      ]);
    });
    expect((await bob.send('POST', '/mcp', callOf(4, 'read_turn', asked))).status).toBe(200);
    // What does not wait passes, or nobody could end what the others wait for.
    const look = callOf(5, 'read_turn', { turnId, waitSeconds: 0 });
    for (const call of [callOf(6, 'list_agents', {}), look]) {
      expect((await eve.send('POST', '/mcp', call)).status).toBe(200);
    }
    // Who leaves, waits no more.
    waiting.abort();
    await Promise.all(waits);
    await expectSoon(async () =>
      expect((await eve.send('POST', '/mcp', callOf(5, 'cancel_turn', { turnId }))).status).toBe(
        200,
      ),
    );
  });
});
