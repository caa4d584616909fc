import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { signPageToken, type PageClaims } from '../../../src/access/pages/page-token.js';
import { PrincipalEpochs } from '../../../src/access/people/principal-epochs.js';
import { systemClock } from '../../../src/platform/clock.js';
import { auditLog, serverSecrets } from '../../../src/storage/governance-schema.js';
import { pageOf } from '../../support/access/page-token.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { type KeyedAnswer, KeyedClient, keyedClient } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const scopes = ['turns', 'tokens'];

describe('page tokens', () => {
  const { environment } = useTokenIssuer();
  const server = useServer({ environment });
  const admin = useShared(() => keyedClient(server, { principal: 'root', scopes: ['admin'] }));
  const backend = useShared(() =>
    keyedClient(server, { principal: 'backend', scopes, mints: 'app:*' }),
  );
  const errorOf = ({ status, body }: KeyedAnswer) => {
    const { type, details } = body['error'] as { type: string; details?: object };
    return [status, type, details];
  };
  const refused = (reason: string) => [401, 'UNAUTHENTICATED', { reason }];
  const usage = (page: KeyedClient, headers: Record<string, string> = {}) =>
    page.send('GET', '/api/harness/usage', undefined, headers);
  const newSession = async (client: KeyedClient) => {
    const made = await client.send('POST', '/api/harness/session/create', {});
    return (made.body['session'] as { sessionId: string }).sessionId;
  };
  const claimsOf = (page: KeyedClient): PageClaims => {
    const [, payload = ''] = (page.key ?? '').split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as PageClaims;
  };
  /** A token with other claims, signed as the server does. */
  const signed = async (claims: PageClaims) => {
    const [stored] = await server.db.select().from(serverSecrets);
    const secret = Buffer.from(stored?.secret ?? '', 'base64url');
    const key = Buffer.from(hkdfSync('sha256', secret, '', 'turnpike page tokens v1', 32));
    return new KeyedClient(server.url, signPageToken(claims, key));
  };

  it('run turns of the principal that they are made for, which another does not see', async () => {
    const ann = await pageOf(backend, { principal: 'app:ann' });
    const sessionId = await newSession(ann);
    const turn = await ann.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    expect([turn.status, turn.text]).toEqual([200, expect.stringContaining('chat:complete')]);
    const bob = await pageOf(backend, { principal: 'app:bob' });
    const path = `/api/harness/session/${sessionId}`;
    expect((await bob.send('GET', path)).status).toBe(404);
    expect((await backend.send('GET', path)).status).toBe(404);
    expect((await ann.send('GET', path)).status).toBe(200);
  });

  it('say what they are, and stand in the audit log without their text', async () => {
    const wanted = { principal: 'app:ann', expiresIn: 60, origin: 'https://app.example.com' };
    const { body } = await backend.send('POST', '/api/harness/tokens', wanted);
    expect(body).toMatchObject({ principal: 'app:ann', scopes: ['turns'], origin: wanted.origin });
    const leftMs = Date.parse(String(body['expiresAt'])) - Date.now();
    expect([leftMs > 50_000, leftMs <= 60_000]).toEqual([true, true]);
    const entries = await server.db.select().from(auditLog);
    const minted = entries.filter(({ action }) => action === 'token.minted');
    expect(minted.at(-1)).toMatchObject({
      principalId: 'backend',
      details: { principal: 'app:ann', origin: wanted.origin },
    });
    expect(JSON.stringify(entries)).not.toContain(String(body['token']).split('.')[1]);
  });

  it.each([
    [{ principal: 'other:ann' }, 403, 'FORBIDDEN_PRINCIPAL'],
    [{ principal: 'app' }, 403, 'FORBIDDEN_PRINCIPAL'],
    [{ principal: 'root' }, 403, 'FORBIDDEN_PRINCIPAL'],
    [{ principal: 'app:' }, 400, 'INVALID_REQUEST'],
    [{ principal: 'app:a b' }, 400, 'INVALID_REQUEST'],
    [{ scopes: ['approvals'] }, 403, 'FORBIDDEN_SCOPE'],
    [{ scopes: ['admin'] }, 400, 'INVALID_REQUEST'],
    [{ scopes: ['tokens'] }, 400, 'INVALID_REQUEST'],
    [{ expiresIn: 3_601 }, 400, 'INVALID_REQUEST'],
    [{ expiresIn: 0 }, 400, 'INVALID_REQUEST'],
    [{ origin: 'https://app.example.com/' }, 400, 'INVALID_REQUEST'],
    [{ sessionId: `sess_${crypto.randomUUID()}` }, 404, 'SESSION_NOT_FOUND'],
    [{ secret: 1 }, 400, 'INVALID_REQUEST'],
  ])('are not made as %j', async (wanted, status, type) => {
    const answer = await backend.send('POST', '/api/harness/tokens', wanted);
    expect(errorOf(answer).slice(0, 2)).toEqual([status, type]);
  });

  it('are not made for people of an identity provider, whatever the key says', async () => {
    const key = await keyedClient(server, { principal: 'eager', scopes, mints: 'idp:*' });
    const answer = await key.send('POST', '/api/harness/tokens', { principal: 'idp:ann' });
    expect(errorOf(answer).slice(0, 2)).toEqual([403, 'FORBIDDEN_PRINCIPAL']);
  });

  it('are made by no key that names people of an identity provider', async () => {
    for (const mints of ['idp:*', 'idp:ann']) {
      const wanted = { principal: 'eager', scopes, mints };
      const answer = await admin.send('POST', '/api/admin/keys', wanted);
      expect(errorOf(answer)).toEqual([400, 'INVALID_REQUEST', undefined]);
      expect(answer.text).toContain('Choose another prefix');
    }
  });

  it('are made by a key with the scope alone, and not by a page token', async () => {
    const plain = await keyedClient(server, { principal: 'plain' });
    const ofPage = await pageOf(backend);
    for (const client of [plain, ofPage]) {
      const answer = await client.send('POST', '/api/harness/tokens', {});
      expect(errorOf(answer)).toEqual([
        403,
        'FORBIDDEN_SCOPE',
        expect.objectContaining({ needed: 'tokens' }),
      ]);
    }
  });

  it('begin nothing that outlives them', async () => {
    const page = await pageOf(backend);
    const yearly = { cron: '0 0 1 1 *', tz: 'UTC', session: 'new', message: 'Hello' };
    const schedule = await page.send('PUT', '/api/harness/schedules/mine', yearly);
    const hook = await page.send('POST', '/api/harness/webhooks', { url: 'https://example.com/' });
    for (const answer of [schedule, hook]) {
      expect(errorOf(answer).slice(0, 2)).toEqual([403, 'FORBIDDEN_FOR_PAGE']);
    }
  });

  it('are for the agents that they name', async () => {
    const run = async (agent: string) => {
      const page = await pageOf(backend, { agents: [agent] });
      const sessionId = await newSession(page);
      return page.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    };
    expect(errorOf(await run('READER')).slice(0, 2)).toEqual([403, 'FORBIDDEN_AGENT']);
    expect((await run('WORKING_ITEMS')).status).toBe(200);
  });

  it('are not taken where they are forged, changed or of another version', async () => {
    const page = await pageOf(backend, { principal: 'app:ann' });
    const claims = claimsOf(page);
    const [version, payload, mac] = (page.key ?? '').split('.');
    const other = Buffer.from(JSON.stringify({ ...claims, principal: 'root' })).toString(
      'base64url',
    );
    const foreign = createHmac('sha256', randomBytes(32)).update(`tps_v1.${payload}`);
    const wrong: [string, string][] = [
      [`${version}.${other}.${mac}`, 'BAD_SIGNATURE'],
      [`${version}.${payload}.${foreign.digest('base64url')}`, 'BAD_SIGNATURE'],
      [`tps_v2.${payload}.${mac}`, 'WRONG_VERSION'],
      [`${version}.${payload}`, 'MALFORMED'],
      [`${version}.${payload}.${mac}.`, 'MALFORMED'],
      ['tps_', 'WRONG_VERSION'],
    ];
    for (const [token, reason] of wrong) {
      const answer = await usage(new KeyedClient(server.url, token));
      expect([token, ...errorOf(answer)]).toEqual([token, ...refused(reason)]);
      expect(answer.text).toContain(reason === 'BAD_SIGNATURE' ? 'unchanged' : 'token');
    }
    const expired = await signed({ ...claims, expiresAt: Date.now() - 1 });
    expect(errorOf(await usage(expired))).toEqual(refused('EXPIRED'));
    // Nobody but the server signs, and even then a token has no more than its key.
    const wide = await signed({ ...claims, scopes: ['turns', 'admin', 'tokens'] });
    const answer = await wide.send('GET', '/api/admin/keys');
    expect(errorOf(answer).slice(0, 2)).toEqual([403, 'FORBIDDEN_SCOPE']);
  });

  it('are for pages of their origin', async () => {
    const origin = 'https://app.example.com';
    const page = await pageOf(backend, { origin });
    expect((await usage(page, { origin })).status).toBe(200);
    expect((await usage(page)).status).toBe(200);
    const other = await usage(page, { origin: 'https://evil.example.com' });
    expect(errorOf(other)).toEqual(refused('WRONG_ORIGIN'));
  });

  it('end with the key that made them', async () => {
    const key = await keyedClient(server, { principal: 'leaving', scopes });
    const page = await pageOf(key);
    expect((await usage(page)).status).toBe(200);
    const [, id = ''] = (key.key ?? '').split('_');
    await admin.send('DELETE', `/api/admin/keys/${id}`);
    await expectSoon(async () => {
      expect(errorOf(await usage(page))).toEqual(refused('KEY_REVOKED'));
    });
  });

  it('end with the epoch of their principal, and new ones are good', async () => {
    const page = await pageOf(backend, { principal: 'app:gone' });
    const other = await pageOf(backend, { principal: 'app:stays' });
    expect((await usage(page)).status).toBe(200);
    await new PrincipalEpochs(server.db, systemClock).endAccess(server.db, 'app:gone');
    await expectSoon(async () => expect(errorOf(await usage(page))).toEqual(refused('ENDED')));
    expect((await usage(other)).status).toBe(200);
    expect((await usage(await pageOf(backend, { principal: 'app:gone' }))).status).toBe(200);
  });

  it('are good at once where another process ended the access before them', async () => {
    const before = await pageOf(backend, { principal: 'app:back' });
    // This process knows the epoch for a second from now on.
    expect((await usage(before)).status).toBe(200);
    await new PrincipalEpochs(server.db, systemClock).endAccess(server.db, 'app:back');
    const after = await pageOf(backend, { principal: 'app:back' });
    expect((await usage(after)).status).toBe(200);
    expect(errorOf(await usage(before))).toEqual(refused('ENDED'));
  });

  it('end at a log-out, by a key that may make them; keys and later tokens are good', async () => {
    const page = await pageOf(backend, { principal: 'app:out' });
    const other = await pageOf(backend, { principal: 'app:in' });
    const own = await pageOf(backend);
    expect((await usage(page)).status).toBe(200);
    for (const principal of ['app:out', 'backend']) {
      const ended = await backend.send('DELETE', `/api/harness/tokens/${principal}`);
      expect(ended).toMatchObject({ status: 200, body: { principal } });
    }
    await expectSoon(async () => {
      for (const gone of [page, own]) {
        const answer = await usage(gone);
        expect(errorOf(answer)).toEqual(refused('ENDED'));
        expect(answer.text).toContain('Ask your backend for a new one');
      }
    });
    for (const client of [other, backend, await pageOf(backend, { principal: 'app:out' })]) {
      expect((await usage(client)).status).toBe(200);
    }
    const entries = await server.db.select().from(auditLog);
    expect(entries.filter(({ action }) => action === 'token.ended').at(-2)).toMatchObject({
      principalId: 'backend',
      details: { principal: 'app:out' },
    });
  });

  it('are ended by a key that may make them alone', async () => {
    const page = await pageOf(backend, { principal: 'app:ann' });
    const plain = await keyedClient(server, { principal: 'plain' });
    const narrow = await keyedClient(server, { principal: 'narrow', scopes, mints: 'app:bob' });
    const path = '/api/harness/tokens/app:ann';
    const answers = [];
    for (const client of [page, plain, narrow]) answers.push(await client.send('DELETE', path));
    answers.push(await backend.send('DELETE', '/api/harness/tokens/root'));
    expect(answers.map((answer) => errorOf(answer).slice(0, 2))).toEqual([
      [403, 'FORBIDDEN_SCOPE'],
      [403, 'FORBIDDEN_SCOPE'],
      [403, 'FORBIDDEN_PRINCIPAL'],
      [403, 'FORBIDDEN_PRINCIPAL'],
    ]);
    expect((await usage(page)).status).toBe(200);
  });

  it('are not taken in a URL, and not written to the log', async () => {
    const page = await pageOf(backend);
    expect((await usage(page)).status).toBe(200);
    const nobody = new KeyedClient(server.url);
    const inUrl = await nobody.send('GET', `/agents?access_token=${page.key}`);
    expect([inUrl.status, inUrl.text]).toEqual([
      400,
      expect.stringContaining('URLs are kept in logs'),
    ]);
    expect(server.logLines.join('\n')).not.toContain(page.key?.split('.')[1]);
  });
});
