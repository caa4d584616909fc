import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  newKey,
  startTokenIssuer,
  type TokenClaims,
  type TokenIssuer,
} from '../../../test/support/access/token-issuer.js';
import { refusedHost } from '../../platform/net/addresses.js';
import { systemClock } from '../../platform/clock.js';
import { IssuerAwayError } from '../tokens/issuer-keys.js';
import { issuerFetch } from '../tokens/open-verifier.js';
import { ProviderClient, type FlowSecrets } from './provider-client.js';

describe('the console as a client of a provider that is not to be trusted', () => {
  let idp: TokenIssuer;
  let secrets: FlowSecrets;
  let client: ProviderClient;
  beforeEach(async () => {
    idp = await startTokenIssuer();
    const console = {
      clientId: 'console',
      clientAuth: 'basic' as const,
      scopes: ['openid'],
      required: {},
    };
    const options = { fetch: issuerFetch({ authPrivateHosts: [] }), clock: systemClock };
    client = new ProviderClient({ ...idp.entry(), console }, undefined, options);
    secrets = client.newSecrets();
  });
  afterEach(() => idp.close());

  /** Takes the answer of the provider, whose token endpoint then sends `idToken`. */
  const claimsOf = async (idToken: string) => {
    idp.tokens = { access_token: 'opaque', token_type: 'bearer', id_token: idToken };
    const answer = new URL('http://127.0.0.1/console/callback/idp?code=a');
    answer.searchParams.set('state', secrets.state);
    return client.claimsOf(answer, secrets);
  };
  const idToken = (claims: TokenClaims = {}, more: Parameters<TokenIssuer['sign']>[1] = {}) =>
    idp.sign(
      { aud: 'console', nonce: secrets.nonce, ...claims },
      { ...more, header: { typ: 'JWT', ...more.header } },
    );

  it('takes an ID token that is for this log-in', async () => {
    expect(await claimsOf(await idToken())).toMatchObject({ sub: 'ann', aud: 'console' });
  });

  it.each<[string, () => Promise<string>]>([
    ['with the nonce of another log-in', () => idToken({ nonce: client.newSecrets().nonce })],
    ['without a nonce', () => idToken({ nonce: undefined })],
    ['for another client', () => idToken({ aud: 'shop' })],
    ['of another issuer', () => idToken({ iss: 'https://evil.example' })],
    ['that has expired', () => idToken({ exp: 1 })],
    [
      'that somebody else signed',
      async () => idToken({}, { key: (await newKey('RS256')).privateKey }),
    ],
    ['by a key that is not published', () => idToken({}, { header: { kid: 'another' } })],
  ])('does not take an ID token %s', async (_what, make) => {
    await expect(claimsOf(await make())).rejects.toMatchObject({
      fault: 'WRONG_TOKEN',
      facts: { issuer: 'idp' },
    });
  });

  it.each([
    ['token_endpoint', 'http://10.0.0.1/token'],
    ['token_endpoint', 'http://169.254.169.254/latest/meta-data'],
    ['jwks_uri', 'http://10.0.0.1/keys'],
    ['jwks_uri', 'https://[fd00::1]/keys'],
  ])('asks no private address that its document has as %s: %s', async (field, url) => {
    idp.discovered = { [field]: url };
    const refused = await claimsOf(await idToken()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(IssuerAwayError);
    expect(refusedHost(refused)).toBe(new URL(url).hostname.replaceAll(/[[\]]/g, ''));
  });
});
