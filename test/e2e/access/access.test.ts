import { describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { serve } from '../../../src/app/serve.js';
import { silentLogger } from '../../support/silent-logger.js';
import { apiKeys } from '../../../src/storage/governance-schema.js';
import { KeyedClient, sendRaw, keyedClient } from '../../support/clients/keyed-client.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

interface Created {
  key: { id: string };
  secret: string;
}

const list = (root: string): string =>
  `/api/harness/session/list?projectRoot=${encodeURIComponent(root)}`;

describe('a server with keys', () => {
  const make = async (body: Record<string, unknown>) => {
    const { body: made } = await admin.send('POST', '/api/admin/keys', body);
    const { key, secret } = made as unknown as Created;
    return { id: key.id, secret, client: new KeyedClient(server.url, secret) };
  };
  const server = useServer();
  const admin = useShared(() => keyedClient(server, { principal: 'boss' }));

  it('takes requests with a key, in either header', async () => {
    const path = list(server.projectRoot);
    expect((await admin.send('GET', path)).status).toBe(200);
    const plain = new KeyedClient(server.url);
    const other = await plain.send('GET', path, undefined, { 'x-api-key': admin.key ?? '' });
    expect(other.status).toBe(200);
  });

  it('answers 401 without one, and says how to make one', async () => {
    const answer = await new KeyedClient(server.url).send('GET', list(server.projectRoot));
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    expect(answer.body['error']).toEqual({
      type: 'UNAUTHENTICATED',
      message: expect.stringContaining('turnpike keys create'),
      details: { reason: 'MISSING' },
      retryable: false,
      correlationId: answer.headers.get('x-request-id'),
    });
  });

  it.each<[string, string, (answer: { body: Record<string, unknown> }) => unknown]>([
    ['/agents', 'application/problem+json', ({ body }) => body['type']],
    ['/api/oracle/history', 'application/json', ({ body }) => Object.keys(body)],
  ])('refuses %s in the shape of its clients', async (path, type, look) => {
    const answer = await new KeyedClient(server.url).send('GET', path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      401,
      expect.stringContaining(type),
    ]);
    expect(look(answer)).toEqual(
      path === '/agents'
        ? expect.stringContaining('/errors/unauthenticated')
        : ['detail', 'retryable', 'correlationId'],
    );
  });

  it('leaves the probes and the page of the API open', async () => {
    const open = new KeyedClient(server.url);
    for (const path of ['/health', '/health/agent', '/ready', '/docs']) {
      expect([path, (await open.send('GET', path)).status]).toEqual([path, 200]);
    }
  });

  it('refuses a key at once that is revoked, and says so', async () => {
    const { id, client } = await make({ principal: 'short-lived' });
    expect((await client.send('GET', '/agents')).status).toBe(200);
    const revoked = await admin.send('DELETE', `/api/admin/keys/${id}`);
    expect(revoked.body['key']).toMatchObject({ id, status: 'revoked' });
    const refused = await client.send('GET', list(server.projectRoot));
    expect([refused.status, refused.body['error']]).toEqual([
      401,
      expect.objectContaining({ details: { reason: 'REVOKED' } }),
    ]);
  });

  it('refuses a key that has expired, and says so', async () => {
    const { id, client } = await make({ principal: 'late', expiresIn: '1m' });
    const { db } = server;
    await db
      .update(apiKeys)
      .set({ expiresAt: new Date(0) })
      .where(eq(apiKeys.id, id));
    const refused = await client.send('GET', list(server.projectRoot));
    expect([refused.status, refused.body['error']]).toEqual([
      401,
      expect.objectContaining({ details: { reason: 'EXPIRED' } }),
    ]);
  });

  it('refuses what a key is not for', async () => {
    const { client } = await make({ principal: 'worker', scopes: ['approvals'] });
    const turns = await client.send('GET', list(server.projectRoot));
    expect([turns.status, turns.body['error']]).toEqual([
      403,
      expect.objectContaining({
        type: 'FORBIDDEN_SCOPE',
        details: { needed: 'turns', scopes: ['approvals'] },
      }),
    ]);
    const { client: plain } = await make({ principal: 'worker' });
    for (const path of ['/api/admin/keys', '/api/admin/audit']) {
      expect((await plain.send('GET', path)).status).toBe(403);
    }
  });

  it('takes pages of any origin that have a key, and any host', async () => {
    const headers = ['Host', 'turnpike.example', 'Origin', 'https://evil.example'];
    const authorization = ['Authorization', `Bearer ${admin.key}`];
    const answer = await sendRaw(server.url, {
      path: list(server.projectRoot),
      headers: [...headers, ...authorization],
    });
    expect(answer.status).toBe(200);
  });

  it.each<[string, (key: string) => { path?: string; headers: string[] }]>([
    ['two Authorization', (key) => ({ headers: ['Authorization', key, 'Authorization', key] })],
    ['two X-API-Key', (key) => ({ headers: ['X-API-Key', key, 'x-api-key', key] })],
    ['two Host', (key) => ({ headers: ['Host', 'evil.example', 'Authorization', key] })],
    ['two keys', (key) => ({ headers: ['Authorization', key, 'X-API-Key', 'tpk_other'] })],
    [
      'a whole URL as its target',
      (key) => ({ path: 'http://evil.example/agents', headers: ['Authorization', key] }),
    ],
    [
      'its key in the URL',
      (key) => ({ path: `/agents?key=${key.slice(7)}`, headers: ['Authorization', key] }),
    ],
  ])('refuses a request with %s', async (_what, ask) => {
    const { path = '/agents', headers } = ask(`Bearer ${admin.key}`);
    const answer = await sendRaw(server.url, {
      path,
      headers: ['Host', '127.0.0.1', ...headers],
    });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain(admin.key);
  });

  it('counts requests of a principal, whichever key it has', async () => {
    const limits = { requestsPerMinute: 3 };
    const one = await make({ principal: 'eager', limits });
    const two = await make({ principal: 'eager', limits });
    const statuses: number[] = [];
    for (const { client } of [one, two, one]) {
      statuses.push((await client.send('GET', '/agents')).status);
    }
    const refused = await two.client.send('GET', list(server.projectRoot));
    expect([...statuses, refused.status]).toEqual([200, 200, 200, 429]);
    expect(refused.body['error']).toMatchObject({
      type: 'RATE_LIMITED',
      details: { limit: 3, perMs: 60_000 },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('writes down who did what, and no secret', async () => {
    const { id, secret, client } = await make({ principal: 'noted' });
    const made = await client.send('POST', '/api/harness/session/create', {
      projectRoot: server.projectRoot,
    });
    const { sessionId } = made.body['session'] as { sessionId: string };
    await client.send('PUT', '/api/settings/agent-config', { max_iterations: 7 });
    await client.send('DELETE', `/api/harness/session/${sessionId}`);
    const { body, text } = await admin.send('GET', '/api/admin/audit?limit=1000');
    const entries = body['entries'] as { principal: string; action: string; subject: string }[];
    const ofNoted = entries.filter(({ principal }) => principal === 'noted');
    expect(ofNoted.map(({ action, subject }) => [action, subject])).toEqual([
      ['session.created', sessionId],
      ['settings.changed', 'noted'],
      ['session.deleted', sessionId],
    ]);
    expect(entries).toContainEqual(
      expect.objectContaining({ principal: 'boss', action: 'key.created', subject: id }),
    );
    expect(text).not.toContain(secret);
    const paged = await admin.send('GET', '/api/admin/audit?limit=1');
    const next = paged.body['nextAfter'];
    const rest = await admin.send('GET', `/api/admin/audit?limit=1&after=${String(next)}`);
    expect(rest.body['entries']).toEqual([entries[1]]);
  });

  it('limits an address that sends wrong keys, and still serves the keys in use there', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 25; i += 1) {
      const wrong = new KeyedClient(server.url, `tpk_0000000000000000_wrong${i}`);
      statuses.add((await wrong.send('GET', '/agents')).status);
    }
    expect([...statuses]).toEqual([401, 429]);
    expect((await admin.send('GET', '/agents')).status).toBe(200);
    const { body } = await admin.send('GET', '/api/admin/audit?limit=1000');
    const entries = body['entries'] as { action: string }[];
    expect(entries.filter(({ action }) => action === 'authentication.refused')).toHaveLength(1);
  });

  it('has no key in any line of its log', () => {
    expect(server.logLines.length).toBeGreaterThan(0);
    expect(server.logLines.join('')).not.toContain(admin.key?.slice(-43));
  });
});

describe('a server without keys', () => {
  const server = useServer();

  it('does not listen where other machines reach it', async () => {
    const other = await startServer();
    await other.stop();
    const config = { ...other.config, host: '0.0.0.0', port: 0 };
    const options = { config, environment: {}, logger: silentLogger };
    await expect(serve(options)).rejects.toThrow('turnpike keys create');
    await other.close();
  });

  it('lets its own machine make the first key, where it is the only process, and then asks for it', async () => {
    const nobody = new KeyedClient(server.url);
    expect((await nobody.send('GET', '/agents')).status).toBe(200);
    const wanted = { principal: 'first' };
    const forwarded = { 'x-forwarded-for': '127.0.0.1' };
    const viaProxy = await nobody.send('POST', '/api/admin/keys', wanted, forwarded);
    expect(viaProxy.status).toBe(403);
    const { status, body } = await nobody.send('POST', '/api/admin/keys', wanted);
    if (server.config.databaseUrl !== undefined) {
      expect([status, body['error']]).toEqual([
        403,
        expect.objectContaining({ message: expect.stringContaining('turnpike keys create') }),
      ]);
      return;
    }
    expect(body['key']).toMatchObject({
      scopes: ['turns', 'approvals', 'admin', 'texts', 'metrics', 'tokens'],
    });
    expect((await nobody.send('GET', '/agents')).status).toBe(401);
    const first = new KeyedClient(server.url, String(body['secret']));
    expect((await first.send('GET', '/api/admin/keys')).body['keys']).toHaveLength(1);
  });
});

describe('a server without keys behind a gateway', () => {
  it('takes any host, and no page of another one', async () => {
    const server = await startServer({
      environment: { TURNPIKE_HOST: '0.0.0.0', TURNPIKE_ALLOW_KEYLESS: 'true' },
    });
    const ask = (...more: string[]) =>
      sendRaw(server.url, { path: '/agents', headers: ['Host', 'api.example', ...more] });
    expect((await ask()).status).toBe(200);
    expect((await ask('Origin', 'https://api.example')).status).toBe(200);
    expect((await ask('Origin', 'https://evil.example')).status).toBe(403);
    const nobody = new KeyedClient(server.url);
    const key = await nobody.send('POST', '/api/admin/keys', { principal: 'first' });
    expect(key.status).toBe(403);
    await server.close();
  });
});
