import { beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';

describe('the readers of a process', () => {
  const clients: Record<string, KeyedClient> = {};
  const open: AbortController[] = [];
  const server = useServer(async () => {
    const environment = { TURNPIKE_READERS: '3', TURNPIKE_READERS_PER_PRINCIPAL: '2' };
    return { environment };
  });
  beforeAll(async () => {
    for (const principal of ['ann', 'bob']) {
      const { secret } = await makeKey(server, { principal, scopes: ['turns', 'approvals'] });
      clients[principal] = new KeyedClient(server.url, secret);
    }
  });

  const of = (principal: string): KeyedClient => {
    const client = clients[principal];
    if (client === undefined) throw new Error(`${principal} has no key`);
    return client;
  };

  /** A turn that goes on until it is stopped. */
  async function begin(principal: string): Promise<{ sessionId: string; turnId: string }> {
    const { projectRoot } = server;
    const made = await of(principal).send('POST', '/api/harness/session/create', { projectRoot });
    const { sessionId } = made.body['session'] as { sessionId: string };
    const opts = { onDisconnect: 'continue' };
    const body = { sessionId, message: '[[tokens=100000 gap=50]]', opts };
    const prefer = { prefer: 'respond-async' };
    const taken = await of(principal).send('POST', '/api/harness/turn', body, prefer);
    const { turnId } = taken.body['turn'] as { turnId: string };
    return { sessionId, turnId };
  }

  async function read(principal: string, turnId: string): Promise<number> {
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/harness/turns/${turnId}/events`, {
      headers: { authorization: `Bearer ${of(principal).key}` },
      signal: leaving.signal,
    });
    if (response.status === 200) open.push(leaving);
    else await response.text();
    return response.status;
  }

  it('are bounded for a principal and in all, on every wire, and others come when one has left', async () => {
    const [anns, bobs] = [await begin('ann'), await begin('bob')];
    expect([await read('ann', anns.turnId), await read('ann', anns.turnId)]).toEqual([200, 200]);

    const document = await of('ann').send('GET', '/docs-json');
    const { paths } = document.body as unknown as OpenAPIObject;
    const streaming = Object.entries(paths).flatMap(([path, operations]) =>
      (['get', 'post'] as const)
        .filter((method) => {
          const answer = operations[method]?.responses['200'];
          return answer && 'content' in answer && 'text/event-stream' in (answer.content ?? {});
        })
        .map((method) => ({ path, method })),
    );
    expect(streaming.length).toBeGreaterThan(9);
    for (const { path, method } of streaming) {
      const ids: Record<string, string> = { sessionId: anns.sessionId, name: 'x' };
      const filled = path.replaceAll(
        /\{(\w+)\}/g,
        (_all, name: string) => ids[name] ?? anns.turnId,
      );
      const body = method === 'get' ? undefined : { sessionId: anns.sessionId, id: anns.sessionId };
      const refused = await of('ann').send(method.toUpperCase(), filled, body);
      expect([path, refused.status, refused.headers.get('retry-after')]).toEqual([path, 429, '5']);
      expect(refused.text).toContain('TURNPIKE_READERS_PER_PRINCIPAL');
    }
    const turns = await of('ann').send('GET', `/api/harness/sessions/${anns.sessionId}/turns`);
    expect(turns.body['turns']).toHaveLength(1);

    expect([await read('bob', bobs.turnId), await read('bob', bobs.turnId)]).toEqual([200, 503]);
    const refused = await of('bob').send('GET', `/api/harness/turns/${bobs.turnId}/events`);
    expect(refused.body['error']).toMatchObject({
      type: 'TOO_MANY_READERS',
      message: expect.stringContaining('the limit (TURNPIKE_READERS)'),
      details: { limit: 3, of: 'process' },
      retryable: true,
      retryAfterMs: 5_000,
    });

    open.pop()?.abort();
    await expectSoon(async () => expect(await read('bob', bobs.turnId)).toBe(200));
    for (const reader of open) reader.abort();
  });
});
