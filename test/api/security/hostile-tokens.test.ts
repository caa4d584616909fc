import { describe, expect, it } from '@jest/globals';
import { SignJWT, UnsecuredJWT } from 'jose';
import { pageOf } from '../../support/access/page-token.js';
import { newKey, useTokenIssuer, type TokenClaims } from '../../support/access/token-issuer.js';
import { type KeyedAnswer, KeyedClient, keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

/** Keys in one set, of which 64 KiB are read. */
const TOO_MANY_KEYS = 200;

describe('hostile tokens', () => {
  const { issuer, environment } = useTokenIssuer([{ group: 'staff' }]);
  const server = useServer({ environment });
  const backend = useShared(() =>
    keyedClient(server, { principal: 'backend', scopes: ['turns', 'tokens'], mints: 'app:*' }),
  );
  const errorOf = ({ status, body }: KeyedAnswer) => {
    const { type, details } = body['error'] as { type: string; details?: object };
    return [status, type, details];
  };
  const sent = async (token: string) =>
    errorOf(await new KeyedClient(server.url, token).send('GET', '/api/harness/usage'));
  const claims = () => ({
    iss: issuer.url,
    aud: 'turnpike',
    sub: 'ann',
    groups: ['staff'],
    exp: Math.floor(Date.now() / 1_000) + 60,
  });
  const ofStaff = (more: TokenClaims = {}, header: TokenClaims = {}) =>
    issuer.sign({ groups: ['staff'], ...more }, { header });

  it.each<[string, string, () => string | Promise<string>]>([
    ['without a signature', 'WRONG_ALGORITHM', () => new UnsecuredJWT(claims()).encode()],
    [
      'with the public key as a shared secret',
      'WRONG_ALGORITHM',
      () =>
        new SignJWT(claims())
          .setProtectedHeader({ alg: 'HS256', kid: issuer.key.kid })
          .sign(Buffer.from(JSON.stringify(issuer.key.publicJwk))),
    ],
    [
      'that brings its key',
      'UNKNOWN_KEY',
      async () => {
        const { privateKey, publicJwk } = await newKey('RS256');
        const header = { kid: 'own', jwk: publicJwk, jku: 'http://127.0.0.1:1/keys' };
        return issuer.sign({ groups: ['staff'] }, { header, key: privateKey });
      },
    ],
    ['whose key is a path', 'UNKNOWN_KEY', () => ofStaff({}, { kid: '../../../dev/null' })],
    ['whose key is a query', 'UNKNOWN_KEY', () => ofStaff({}, { kid: "x' or '1'='1" })],
    ['of another issuer', 'UNKNOWN_ISSUER', () => ofStaff({ iss: 'https://evil.example' })],
    ['for another audience', 'WRONG_AUDIENCE', () => ofStaff({ aud: 'shop' })],
    ['of another kind', 'WRONG_TYPE', () => ofStaff({}, { typ: 'logout+jwt' })],
    ['that has expired', 'EXPIRED', () => ofStaff({ exp: 1 })],
    ['that never expires', 'MISSING_CLAIM', () => ofStaff({ exp: undefined })],
    ['of the future', 'NOT_YET_VALID', () => ofStaff({ nbf: claims().exp + 600 })],
    ['that was issued in the future', 'NOT_YET_VALID', () => ofStaff({ iat: claims().exp + 600 })],
    ['whose end is no time', 'WRONG_CLAIM', () => ofStaff({ exp: 1e300 })],
    ['of nobody', 'MISSING_CLAIM', () => ofStaff({ sub: undefined })],
    ['of a name with a line break', 'WRONG_CLAIM', () => ofStaff({ sub: 'a\nb' })],
    ['of more than 8 KiB', 'MALFORMED', () => ofStaff({ long: 'x'.repeat(9_000) })],
  ])('%s are refused as %s', async (_what, reason, make) => {
    expect(await sent(await make())).toEqual([
      401,
      'UNAUTHENTICATED',
      expect.objectContaining({ reason }),
    ]);
  });

  it('with more than 1,000 groups have no role, whichever they are', async () => {
    const groups = Array.from({ length: 1_001 }, (_, at) => (at === 0 ? 'staff' : '1'));
    expect(await sent(await issuer.sign({ groups }))).toEqual([
      403,
      'FORBIDDEN_ROLE',
      expect.objectContaining({ issuer: 'idp' }),
    ]);
  });

  it('with keys that nobody knows ask the issuer a few times', async () => {
    expect((await sent(await ofStaff({}, { kid: 'first' })))[0]).toBe(401);
    const before = issuer.loads;
    const kids = Array.from({ length: 50 }, (_, at) => `flood-${at}`);
    await Promise.all(kids.map(async (kid) => sent(await ofStaff({}, { kid }))));
    expect(issuer.loads - before).toBeLessThanOrEqual(5);
  });

  it('of a page are worth nothing once their session is gone', async () => {
    const page = await pageOf(backend, { principal: 'app:ann' });
    const made = await page.send('POST', '/api/harness/session/create', {});
    const { sessionId } = made.body['session'] as { sessionId: string };
    const bound = await pageOf(backend, { principal: 'app:ann', sessionId });
    const path = `/api/harness/session/${sessionId}`;
    expect((await bound.send('GET', path)).status).toBe(200);
    expect((await page.send('DELETE', path)).status).toBe(200);
    expect(errorOf(await bound.send('GET', path)).slice(0, 2)).toEqual([404, 'SESSION_NOT_FOUND']);
    const turn = await bound.send('POST', '/api/harness/turn', { sessionId, message: 'Hello' });
    expect(errorOf(turn).slice(0, 2)).toEqual([404, 'SESSION_NOT_FOUND']);
    const another = await bound.send('POST', '/api/harness/session/create', {});
    expect(errorOf(another).slice(0, 2)).toEqual([403, 'FORBIDDEN_FOR_PAGE']);
  });

  it.each(['root', 'local', 'idp:ann', 'App:ann', 'app', 'apps:ann'])(
    'are not made for %s by a minting key that leaked',
    async (principal) => {
      const answer = await backend.send('POST', '/api/harness/tokens', { principal });
      expect(errorOf(answer).slice(0, 2)).toEqual([403, 'FORBIDDEN_PRINCIPAL']);
    },
  );
});

describe('an issuer whose keys are too many', () => {
  const { issuer, environment } = useTokenIssuer();
  const server = useServer({ environment });

  it('is away, and says so', async () => {
    issuer.published = Array.from({ length: TOO_MANY_KEYS }, () => issuer.key.publicJwk);
    const client = new KeyedClient(server.url, await issuer.sign());
    const { status, body } = await client.send('GET', '/api/harness/usage');
    expect([status, body['error']]).toEqual([
      503,
      expect.objectContaining({ type: 'ISSUER_UNAVAILABLE', details: { issuer: 'idp' } }),
    ]);
    expect(server.logLines.join('')).toContain('more than 64 KiB');
  });
});
