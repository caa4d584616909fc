import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import {
  everybody,
  newKey,
  startTokenIssuer,
  type TokenClaims,
  type TokenIssuer,
} from '../../../test/support/access/token-issuer.js';
import { refusedHost } from '../../platform/net/addresses.js';
import type { Issuer } from './auth-file.js';
import { IssuerAwayError } from './issuer-keys.js';
import { openVerifier } from './open-verifier.js';

const MINUTE_MS = 60_000;

describe('the verifier of tokens', () => {
  let clock: ManualClock;
  let idp: TokenIssuer;
  beforeEach(async () => {
    clock = new ManualClock();
    idp = await startTokenIssuer(() => clock.now());
  });
  afterEach(() => idp.close());

  const open = (...issuers: Issuer[]) =>
    openVerifier(issuers, { authPrivateHosts: [] }, { clock, logger: silentLogger });
  const of = (more: Partial<Issuer> = {}) => open(idp.entry(more));
  const seconds = (ms = 0): number => Math.floor((clock.now() + ms) / 1_000);
  const fails = async (asked: Promise<unknown>, fault: string, facts: object = {}) =>
    expect(asked).rejects.toMatchObject({ fault, facts });

  it('takes a token of its issuer, and names the person by issuer and claim', async () => {
    const verified = await of().verify(await idp.sign());
    const { principalId, issuer, scopes, expiresAt } = verified;
    expect({ principalId, issuer, scopes, expiresAt }).toEqual({
      principalId: 'idp:ann',
      issuer: 'idp',
      scopes: ['turns', 'approvals'],
      expiresAt: clock.now() + 300_000,
    });
  });

  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'])('takes signatures by %s', async (alg) => {
    await idp.rotate(alg);
    expect((await of().verify(await idp.sign())).principalId).toBe('idp:ann');
  });

  describe('does not take', () => {
    it('what is no token', async () => {
      const [head = '', , signature = ''] = (await idp.sign()).split('.');
      const broken = [
        `${head}.e30.${signature}.x`,
        `${head}.!.${signature}`,
        `eyJ.eyJ.eyJ`,
        'x.y.z',
      ];
      for (const text of broken) await fails(of().verify(text), 'MALFORMED');
      await fails(of().verify(await idp.sign({ long: 'x'.repeat(9_000) })), 'MALFORMED');
    });

    it('a token without a signature, or with a shared secret', async () => {
      const claims = { iss: idp.url, aud: 'turnpike', sub: 'ann', exp: seconds(MINUTE_MS) };
      const unsigned = new UnsecuredJWT(claims).encode();
      await fails(of().verify(unsigned), 'WRONG_ALGORITHM', { issuer: 'idp' });
      // The public key as the secret: what it was once made of.
      const secret = Buffer.from(JSON.stringify(idp.key.publicJwk));
      const confused = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: idp.key.kid })
        .sign(secret);
      await fails(of().verify(confused), 'WRONG_ALGORITHM');
      await fails(of({ algorithms: ['ES256'] }).verify(await idp.sign()), 'WRONG_ALGORITHM');
    });

    it('a token of another key, or one that brings its own', async () => {
      const { privateKey, publicJwk } = await newKey('RS256');
      await fails(of().verify(await idp.sign({}, { key: privateKey })), 'BAD_SIGNATURE');
      const header = { kid: 'another', jwk: publicJwk, jku: 'http://127.0.0.1:1/keys' };
      await fails(of().verify(await idp.sign({}, { key: privateKey, header })), 'UNKNOWN_KEY');
      const path = { kid: '../../../../etc/passwd' };
      await fails(
        of().verify(await idp.sign({}, { key: privateKey, header: path })),
        'UNKNOWN_KEY',
      );
    });

    it('a token that was changed', async () => {
      const [head = '', body = '', signature = ''] = (await idp.sign()).split('.');
      const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as TokenClaims;
      const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url');
      await fails(of().verify([head, changed, signature].join('.')), 'BAD_SIGNATURE');
    });

    it.each<[string, () => TokenClaims, string, object]>([
      ['of another issuer', () => ({ iss: 'https://other.example' }), 'UNKNOWN_ISSUER', {}],
      ['of an issuer with one slash more', () => ({ iss: `${idp.url}/` }), 'UNKNOWN_ISSUER', {}],
      ['for another audience', () => ({ aud: 'shop' }), 'WRONG_AUDIENCE', { claim: 'aud' }],
      ['without an audience', () => ({ aud: undefined }), 'WRONG_AUDIENCE', { claim: 'aud' }],
      ['that has expired', () => ({ exp: seconds(-31_000) }), 'EXPIRED', {}],
      ['that never expires', () => ({ exp: undefined }), 'MISSING_CLAIM', { claim: 'exp' }],
      ['of a later time', () => ({ nbf: seconds(60_000) }), 'NOT_YET_VALID', { claim: 'nbf' }],
      ['of nobody', () => ({ sub: undefined }), 'MISSING_CLAIM', { claim: 'sub' }],
      ['of a blank person', () => ({ sub: '' }), 'MISSING_CLAIM', { claim: 'sub' }],
      ['of somebody with a line break', () => ({ sub: 'a\nb' }), 'WRONG_CLAIM', { claim: 'sub' }],
      [
        'of somebody with no end',
        () => ({ sub: 'x'.repeat(201) }),
        'WRONG_CLAIM',
        { claim: 'sub' },
      ],
    ])('a token %s', async (_what, claims, fault, facts) => {
      const issuer = fault === 'UNKNOWN_ISSUER' ? {} : { issuer: 'idp' };
      await fails(of().verify(await idp.sign(claims())), fault, { ...issuer, ...facts });
    });

    it.each<[string, TokenClaims, string]>([
      ['an end after all times', { exp: 1e300 }, 'exp'],
      ['a beginning before all times', { iat: -1e300 }, 'iat'],
      ['a beginning after all times', { iat: 1e300 }, 'iat'],
    ])('a token with %s', async (_what, claims, claim) => {
      await fails(of().verify(await idp.sign(claims)), 'WRONG_CLAIM', { issuer: 'idp', claim });
    });

    it('a token that was issued later than now, which no end of access would end', async () => {
      const asked = of().verify(
        await idp.sign({ iat: seconds(3_600_000), exp: seconds(7_200_000) }),
      );
      await fails(asked, 'NOT_YET_VALID', { issuer: 'idp', claim: 'iat' });
    });

    it.each([
      ['is broken', { kty: 'RSA', n: '!', e: '' }],
      ['is off its curve', { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }],
    ])('a token whose key %s, beside keys that are good', async (_what, broken) => {
      idp.published = [{ ...broken, kid: 'broken', use: 'sig' }, idp.key.publicJwk];
      const verifier = of();
      const alg = broken.kty === 'RSA' ? 'RS256' : 'ES256';
      const { privateKey: key } = await newKey(alg);
      const token = await idp.sign({}, { header: { kid: 'broken', alg }, key });
      await fails(verifier.verify(token), 'UNKNOWN_KEY', { issuer: 'idp' });
      expect((await verifier.verify(await idp.sign())).principalId).toBe('idp:ann');
    });

    it('a token of a key that the issuer shows with its private part', async () => {
      const { privateKey } = await newKey('ES256');
      idp.published = [{ ...(await exportJWK(privateKey)), kid: 'open', alg: 'ES256', use: 'sig' }];
      const token = await idp.sign({}, { header: { kid: 'open', alg: 'ES256' }, key: privateKey });
      await fails(of().verify(token), 'UNKNOWN_KEY', { issuer: 'idp' });
    });

    it('a token of a key that is too short for its algorithm', async () => {
      const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
      idp.published = [
        { ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256', use: 'sig' },
      ];
      const token = signShort(privateKey, {
        iss: idp.url,
        aud: 'turnpike',
        sub: 'ann',
        exp: seconds(60_000),
      });
      await fails(of().verify(token), 'UNKNOWN_KEY', { issuer: 'idp' });
    });

    it('a token of another kind, or without a claim that is required', async () => {
      await fails(of().verify(await idp.sign({}, { header: { typ: 'logout+jwt' } })), 'WRONG_TYPE');
      const required = { token_use: 'access' };
      await fails(of({ required }).verify(await idp.sign()), 'MISSING_CLAIM', {
        claim: 'token_use',
      });
      const ofId = await idp.sign({ token_use: 'id' });
      await fails(of({ required }).verify(ofId), 'WRONG_CLAIM', { claim: 'token_use' });
    });

    it('a token of one issuer that another one signed', async () => {
      const other = await startTokenIssuer(() => clock.now());
      const verifier = open(idp.entry(), other.entry({ name: 'other' }));
      expect((await verifier.verify(await other.sign())).principalId).toBe('other:ann');
      const mixed = await other.sign({ iss: idp.url });
      await fails(verifier.verify(mixed), 'UNKNOWN_KEY', { issuer: 'idp' });
      await other.close();
    });
  });

  it('allows clocks that differ by half a minute', async () => {
    const late = await idp.sign({ exp: seconds(-20_000) });
    const early = await idp.sign({ nbf: seconds(20_000), iat: seconds(20_000) });
    const verifier = of();
    await expect(verifier.verify(late)).resolves.toBeDefined();
    await expect(verifier.verify(early)).resolves.toBeDefined();
  });

  describe('the groups of a person', () => {
    const admins = {
      ...everybody,
      group: 'admins',
      scopes: ['admin'] as const,
      projectRoots: ['/srv/a'],
    };
    const some = { ...everybody, group: 'some', agents: ['READER'], limits: { tokensPerDay: 10 } };
    const more = { ...everybody, group: 'more', agents: ['WRITER'], limits: { tokensPerDay: 0 } };

    it('join their roles: all of both, and the widest limits', async () => {
      const verifier = of({ roles: [admins, some, more] });
      expect(await verifier.verify(await idp.sign({ groups: ['some', 'more'] }))).toMatchObject({
        agents: ['READER', 'WRITER'],
        limits: { tokensPerDay: 0 },
      });
      expect(await verifier.verify(await idp.sign({ groups: ['some', 'admins'] }))).toMatchObject({
        scopes: ['admin', 'turns', 'approvals'],
        agents: undefined,
        projectRoots: ['/srv/a'],
        limits: { tokensPerDay: 10 },
      });
    });

    it('are named where none has a role', async () => {
      const groups = ['sales', 'Admins', 'admins '];
      const asked = of({ roles: [admins] }).verify(await idp.sign({ groups }));
      await fails(asked, 'NO_ROLE', { issuer: 'idp', groups });
    });

    it.each<[string | string[], TokenClaims]>([
      ['realm_access.roles', { realm_access: { roles: ['admins'] } }],
      ['https://a.example/groups', { 'https://a.example/groups': ['admins'] }],
      ['role', { role: 'admins' }],
      // Zitadel: the keys of an object; Keycloak: a client whose id has dots.
      [
        'urn:zitadel:iam:org:project:roles',
        { 'urn:zitadel:iam:org:project:roles': { admins: { '1': 'a.example' } } },
      ],
      [
        ['resource_access', 'https://app.example/api', 'roles'],
        { resource_access: { 'https://app.example/api': { roles: ['admins'] } } },
      ],
      [['a.b'], { 'a.b': 'admins' }],
      ['resource_access.my.app.roles', { resource_access: { 'my.app': { roles: ['admins'] } } }],
      [
        'resource_access.https://app.example/api.roles',
        { resource_access: { 'https://app.example/api': { roles: ['admins'] } } },
      ],
      ['scope', { scope: 'openid admins' }],
      ['a.b.c', { a: { x: 1 }, 'a.b': { c: 'admins' } }],
    ])('are found at %s', async (groups, claims) => {
      const verified = await of({ groups, roles: [admins] }).verify(await idp.sign(claims));
      expect(verified.scopes).toEqual(['admin']);
    });

    it('are not the words of a text that is no scope', async () => {
      const verifier = of({ roles: [admins] });
      await fails(verifier.verify(await idp.sign({ groups: 'sales admins' })), 'NO_ROLE');
    });

    it('are none where a token has too many, or a name of an object’s own', async () => {
      // As much as 8 KiB hold.
      const groups = Array.from({ length: 1_001 }, (_, at) => (at === 0 ? 'admins' : '1'));
      await fails(of({ roles: [admins] }).verify(await idp.sign({ groups })), 'NO_ROLE');
      const verifier = of({ groups: '__proto__.constructor', roles: [admins] });
      await fails(verifier.verify(await idp.sign()), 'NO_ROLE');
    });
  });

  it('names a person by several claims, none of which may look like two', async () => {
    const verifier = of({ principal: ['tid', 'oid'] });
    const one = await verifier.verify(await idp.sign({ tid: 't', oid: 'o' }));
    expect(one.principalId).toBe('idp:t:o');
    await fails(verifier.verify(await idp.sign({ tid: 't:o', oid: 'x' })), 'WRONG_CLAIM', {
      claim: 'tid',
    });
  });

  it.each<[unknown, string]>([
    [4711, 'idp:4711'],
    ['4711', 'idp:4711'],
    ['cn=Ann Lee,ou=people', 'idp:cn=Ann%20Lee,ou=people'],
    ['50% of Ann', 'idp:50%25%20of%20Ann'],
    ['50%', 'idp:50%'],
  ])('names a person by %j', async (sub, expected) => {
    // The type has texts alone, and some providers send numbers.
    const claims = { sub } as TokenClaims;
    expect((await of().verify(await idp.sign(claims))).principalId).toBe(expected);
  });

  it.each([
    ' ann',
    'ann ',
    'ann  lee',
    'ann\tlee',
    'ann\u00A0lee',
    'ann%20lee',
    'ann%25',
    'a\u0000b',
  ])('takes no name that looks like another: %j', async (sub) => {
    await fails(of().verify(await idp.sign({ sub })), 'WRONG_CLAIM', { claim: 'sub' });
  });

  it.each([4.5, 2 ** 60, true, null, ['ann'], {}])('takes %j for no name', async (sub) => {
    const claims = { sub } as TokenClaims;
    await fails(of().verify(await idp.sign(claims)), 'MISSING_CLAIM', { claim: 'sub' });
  });

  describe('the keys of an issuer', () => {
    it('are loaded for the first token and every ten minutes, and no token waits for them', async () => {
      const verifier = of();
      await Promise.all(
        [idp.sign(), idp.sign({ sub: 'bob' })].map(async (token) => verifier.verify(await token)),
      );
      expect(idp.loads).toBe(1);
      await clock.advance(11 * MINUTE_MS);
      await verifier.verify(await idp.sign());
      await expectSoon(() => expect(idp.loads).toBe(2));
    });

    it('are loaded for a key that is not known, at once', async () => {
      const verifier = of();
      await verifier.verify(await idp.sign());
      await idp.rotate();
      expect((await verifier.verify(await idp.sign())).principalId).toBe('idp:ann');
      expect(idp.loads).toBe(2);
    });

    it.each([
      ['under the same name', { kid: 'signing' }],
      ['without a name', {}],
    ])('are loaded where a signature does not fit: another key %s', async (_how, header) => {
      const verifier = of();
      const publish = async () => {
        const made = await newKey('RS256');
        const { kid: _, ...named } = made.publicJwk;
        idp.published = [{ ...named, ...header }];
        return (sub: string) =>
          idp.sign({ sub }, { key: made.privateKey, header: { kid: undefined, ...header } });
      };
      const before = await publish();
      await verifier.verify(await before('ann'));
      const renewed = await publish();
      expect((await verifier.verify(await renewed('bob'))).principalId).toBe('idp:bob');
      await fails(verifier.verify(await before('cleo')), 'BAD_SIGNATURE');
    });

    it('are known within seconds of a change, however many forged tokens come', async () => {
      const verifier = of();
      await verifier.verify(await idp.sign());
      const { privateKey } = await newKey('RS256');
      const flood = async () => {
        for (const kid of ['none', undefined]) {
          const wrong = await idp.sign({}, { key: privateKey, header: { kid } });
          for (let time = 0; time < 20; time += 1) {
            await verifier.verify(wrong).then(
              () => expect('It was taken').toBe(''),
              (error: unknown) => expect(String(error)).toMatch(/key|signature/i),
            );
          }
        }
      };
      await flood();
      // The issuer is not asked for each of them.
      expect(idp.loads).toBeLessThanOrEqual(6);
      await idp.rotate();
      await clock.advance(5_000);
      await flood();
      expect((await verifier.verify(await idp.sign())).principalId).toBe('idp:ann');
      expect(idp.loads).toBeLessThanOrEqual(7);
    });

    it('stay while the issuer is away for an hour, also for new tokens', async () => {
      const verifier = of();
      await verifier.verify(await idp.sign());
      idp.isAway = true;
      for (let minute = 0; minute < 60; minute += 1) {
        await clock.advance(MINUTE_MS);
        expect((await verifier.verify(await idp.sign())).principalId).toBe('idp:ann');
      }
    });

    it.each(['http://10.0.0.1/keys', 'http://169.254.169.254/latest', 'https://[fd00::1]/keys'])(
      'are not asked for at a private address that the discovery document has: %s',
      async (url) => {
        idp.discovered = { jwks_uri: url };
        const refused = await of()
          .verify(await idp.sign())
          .catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(IssuerAwayError);
        expect(refusedHost(refused)).toBe(new URL(url).hostname.replaceAll(/[[\]]/g, ''));
      },
    );

    it('are not used for more than a day without an answer', async () => {
      const verifier = of();
      await verifier.verify(await idp.sign());
      idp.isAway = true;
      await clock.advance(25 * 60 * MINUTE_MS);
      await expect(verifier.verify(await idp.sign())).rejects.toThrow(IssuerAwayError);
    });

    it('that cannot be loaded at first are asked for again within seconds', async () => {
      const verifier = of();
      idp.isAway = true;
      const token = await idp.sign();
      await expect(verifier.verify(token)).rejects.toThrow(IssuerAwayError);
      idp.isAway = false;
      await expect(verifier.verify(token)).rejects.toThrow(IssuerAwayError);
      expect(idp.loads).toBe(0);
      await clock.advance(5_000);
      expect((await verifier.verify(token)).principalId).toBe('idp:ann');
    });

    it('that the issuer takes back are refused with the next load, though the token was valid before', async () => {
      const verifier = of();
      const token = await idp.sign({ exp: seconds(60 * MINUTE_MS) });
      await verifier.verify(token);
      await idp.rotate();
      await clock.advance(11 * MINUTE_MS);
      await verifier.verify(token);
      await expectSoon(() => fails(verifier.verify(token), 'UNKNOWN_KEY'));
    });

    it('may fit a token that names none of them', async () => {
      const { publicJwk } = await newKey('RS256');
      idp.published = [publicJwk, idp.key.publicJwk];
      const token = await idp.sign({}, { header: { kid: undefined } });
      expect((await of().verify(token)).principalId).toBe('idp:ann');
    });

    it('are of the issuer whose name is in its document, to the letter', async () => {
      const entry = idp.entry({ issuerUrl: `${idp.url}/` });
      const token = await idp.sign({ iss: `${idp.url}/` });
      await expect(open(entry).verify(token)).rejects.toThrow(IssuerAwayError);
    });
  });
});

/** The library signs with no such key. */
function signShort(key: KeyObject, claims: TokenClaims): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', kid: 'short' })}.${part(claims)}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
