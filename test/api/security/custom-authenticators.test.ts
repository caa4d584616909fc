import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { KeyedClient, keyedClient } from '../../support/clients/keyed-client.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

/** Finds people by a header and a cookie; another one does nothing right. */
const extension = `export default (turnpike) => {
  turnpike.addAuthenticator('sso', ({ headers, path }) => {
    if (headers['x-fails'] === 'throws') throw new Error('the directory is away');
    if (headers['x-fails'] === 'hangs') return new Promise(() => {});
    if (headers['x-fails'] === 'lies') return { principal: 'two words' };
    const [, user] = /(?:^|; )user=(\\w+)/.exec(headers.cookie ?? '') ?? [];
    if (user === undefined) return undefined;
    if (user === 'boss') return { principal: user, scopes: ['turns', 'admin'] };
    if (user === 'back') return { principal: user, issuedAt: Number(headers['x-since'] ?? 0) };
    if (user === 'slow') return { principal: user, limits: { requestsPerMinute: 1 } };
    return { principal: user, agents: ['READER'] };
  });
  turnpike.addAuthenticator('own', async ({ headers }) =>
    headers.authorization === 'Bearer own-secret' ? { principal: 'machine' } : undefined);
};`;

describe('callers that an extension finds', () => {
  const { issuer, environment } = useTokenIssuer();
  const file = path.join(newFolder(), 'sso.mjs');
  const server = useServer(async () => {
    await writeFile(file, extension);
    return { environment: { ...environment, TURNPIKE_EXTENSIONS: file } };
  });
  const who = async (headers: Record<string, string>) => {
    const nobody = new KeyedClient(server.url);
    const { status, body } = await nobody.send(
      'GET',
      '/api/harness/session/defaults',
      undefined,
      headers,
    );
    return [status, body['principal'] ?? (body['error'] as { details: unknown }).details];
  };

  it('are principals with the name of the authenticator before their own', async () => {
    expect(await who({ cookie: 'a=1; user=ann' })).toEqual([200, 'sso:ann']);
    expect(await who({ authorization: 'Bearer own-secret' })).toEqual([200, 'own:machine']);
  });

  it('are asked for after keys and tokens', async () => {
    const cookie = 'user=ann';
    const { key = '' } = await keyedClient(server, { principal: 'keyed' });
    const authorization = `Bearer ${await issuer.sign()}`;
    expect(await who({ cookie, authorization })).toEqual([200, 'idp:ann']);
    expect(await who({ cookie, authorization: `Bearer ${key}` })).toEqual([200, 'keyed']);
    const expired = `Bearer ${await issuer.sign({ exp: 1 })}`;
    expect(await who({ cookie, authorization: expired })).toMatchObject([
      401,
      { reason: 'EXPIRED' },
    ]);
  });

  it('have tokens of other issuers, where the extension takes them', async () => {
    const foreign = `Bearer ${await issuer.sign({ iss: 'https://other.example' })}`;
    expect(await who({ cookie: 'user=ann', authorization: foreign })).toEqual([200, 'sso:ann']);
    expect(await who({ authorization: foreign })).toEqual([401, { reason: 'UNKNOWN' }]);
  });

  it('are not found by the cookies that a page of another site sends', async () => {
    const cookie = 'user=ann';
    const [status] = await who({ cookie, origin: 'https://evil.example' });
    expect(status).toBe(403);
    const [own] = await who({ cookie, origin: server.url });
    expect(own).toBe(200);
  });

  it.each([
    ['Basic YW5uOnNlY3JldA==', 403],
    ['Negotiate oRQwEqADCgEB', 403],
    ['NTLM TlRMTVNTUAAB', 403],
    // A page of another site sends no such header without asking first.
    ['Bearer of-the-host', 200],
  ])(
    'are found for a page of another site only by what it had to know: %s',
    async (authorization, expected) => {
      const sent = { cookie: 'user=ann', authorization };
      expect((await who({ ...sent, origin: 'https://evil.example' }))[0]).toBe(expected);
      expect((await who(sent))[0]).toBe(200);
    },
  );

  it('are nobody without an answer: the server is not open', async () => {
    expect(await who({})).toEqual([401, { reason: 'MISSING' }]);
    expect(await who({ authorization: 'Bearer wrong' })).toEqual([401, { reason: 'UNKNOWN' }]);
  });

  it.each(['throws', 'hangs', 'lies'])(
    'are nobody where it %s, and the log says so',
    async (how) => {
      const before = Date.now();
      expect(await who({ 'x-fails': how, cookie: 'user=ann' })).toEqual([
        401,
        { reason: 'FAILED' },
      ]);
      if (how === 'hangs') expect(Date.now() - before).toBeGreaterThan(1_900);
      expect(server.logLines.join('')).toContain("an extension's authenticator failed");
    },
  );

  it('are refused once their access was ended, and come back with a later log-in', async () => {
    const nobody = new KeyedClient(server.url);
    const cookie = 'user=back';
    const since = (ms: number) => ({ cookie, 'x-since': String(ms) });
    expect(await who(since(Date.now()))).toEqual([200, 'sso:back']);
    const path = '/api/admin/principals/sso:back/access';
    const ended = await nobody.send('DELETE', path, undefined, { cookie: 'user=boss' });
    expect(ended.status).toBe(200);
    expect(await who({ cookie })).toEqual([401, { reason: 'ENDED' }]);
    expect(await who(since(Date.now()))).toEqual([401, { reason: 'ENDED' }]);
    expect(await who(since(Date.now() + 31_000))).toEqual([200, 'sso:back']);
  });

  it('make no schedules, which act without a request', async () => {
    const made = await new KeyedClient(server.url).send(
      'PUT',
      '/api/harness/schedules/daily',
      { cron: '0 0 * * *', tz: 'UTC', session: 'new', message: 'Hello' },
      { cookie: 'user=boss' },
    );
    expect([made.status, made.body['error']]).toEqual([
      403,
      expect.objectContaining({ type: 'FORBIDDEN_CREDENTIAL' }),
    ]);
  });

  it('have the scopes, limits and agents that it gives', async () => {
    const nobody = new KeyedClient(server.url);
    const asBoss = { cookie: 'user=boss' };
    expect((await nobody.send('GET', '/api/admin/keys', undefined, asBoss)).status).toBe(200);
    const asAnn = { cookie: 'user=ann' };
    expect((await nobody.send('GET', '/api/admin/keys', undefined, asAnn)).status).toBe(403);
    const { body } = await nobody.send('GET', '/agents', undefined, asAnn);
    expect(body['agents']).toEqual([]);
    const sent = { message: 'Hello' };
    const turn = await nobody.send('POST', '/agent/WORKING_ITEMS/chat', sent, asAnn);
    expect([turn.status, turn.text]).toEqual([403, expect.stringContaining('READER')]);
    const asSlow = { cookie: 'user=slow' };
    const statuses: unknown[] = [];
    for (let time = 0; time < 2; time += 1) statuses.push((await who(asSlow))[0]);
    expect(statuses).toEqual([200, 429]);
  });
});
