import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Provider, type ResourceServer } from 'oidc-provider';
import { everybody } from '../support/access/token-issuer.js';
import {
  CookieBrowser,
  ISSUER,
  SECRET,
  startLoginProvider,
} from '../support/access/login-provider.js';
import { silentLogger } from '../support/silent-logger.js';
import { useShared } from '../support/suite.js';
import { ProviderClient } from '../../src/access/logins/provider-client.js';
import { loadIssuers } from '../../src/access/tokens/auth-file.js';
import { issuerFetch, openVerifier } from '../../src/access/tokens/open-verifier.js';
import { systemClock } from '../../src/platform/clock.js';

const audience = 'https://turnpike.example/';

/** A certified OpenID provider, whose access tokens are JWTs for one API. */
async function startProvider() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const api: ResourceServer = { scope: 'turns', audience, accessTokenFormat: 'jwt' };
  const provider = new Provider(url, {
    clients: [
      {
        client_id: 'backend',
        client_secret: 'secret-of-the-test',
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: () => api,
      },
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => void answer(request, response));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const issue = async (more: Record<string, string> = {}): Promise<string> => {
    const response = await fetch(`${url}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('backend:secret-of-the-test')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', ...more }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return token;
  };
  return { url, issue, close };
}

describe('a certified identity provider', () => {
  const provider = useShared(startProvider);
  const verify = (token: string, audiences = [audience]) => {
    const issuer = {
      name: 'op',
      issuerUrl: provider.url,
      jwksUrl: undefined,
      audiences,
      audienceClaim: 'aud',
      algorithms: ['RS256'],
      principal: ['client_id'],
      groups: 'groups',
      required: { scope: 'turns' },
      roles: [everybody],
    };
    const options = { clock: systemClock, logger: silentLogger };
    return openVerifier([issuer], { authPrivateHosts: [] }, options).verify(token);
  };

  it('issues tokens that are taken by its discovery document and its keys', async () => {
    const token = await provider.issue({ scope: 'turns' });
    expect((await verify(token)).principalId).toBe('op:backend');
    const withoutScope = await provider.issue();
    await expect(verify(withoutScope)).rejects.toMatchObject({ fault: 'MISSING_CLAIM' });
    await expect(verify(token, ['https://shop.example/'])).rejects.toMatchObject({
      fault: 'WRONG_AUDIENCE',
    });
  });
});

describe('the console as a client of a certified identity provider', () => {
  const provider = useShared(startLoginProvider);
  const console = 'http://127.0.0.1:4400';
  /** Logs a person in by the file of issuers, and exchanges the code that the provider answers with. */
  const logIn = async (more: object, secret: string | undefined) => {
    const [issuer] = await loadIssuers(await provider.file(undefined, more));
    if (issuer?.console === undefined) throw new Error('The file has no console');
    const options = { fetch: issuerFetch({ authPrivateHosts: [] }), clock: systemClock };
    const client = new ProviderClient({ ...issuer, console: issuer.console }, secret, options);
    const [callback, secrets] = [`${console}/console/callback/${ISSUER}`, client.newSecrets()];
    const begin = await client.authorizationUrl(callback, secrets);
    const { url } = await new CookieBrowser().go(begin, (next) => next.startsWith(console));
    return client.claimsOf(new URL(url), secrets);
  };

  it.each([
    [{ client_auth: 'basic' }, SECRET, 'client_secret_basic', 'header'],
    [{}, SECRET, 'client_secret_basic', 'header'],
    [{ client_auth: 'post' }, SECRET, 'client_secret_post', 'body'],
    [{ client_secret_file: undefined }, undefined, 'none', 'nothing'],
  ] as const)('exchanges the code with %j', async (more, secret, method, secretIn) => {
    provider.serve([console], method);
    expect(await logIn(more, secret)).toMatchObject({ sub: 'ann', groups: ['staff'] });
    expect(provider.secretIn).toBe(secretIn);
  });

  it.each([
    [{ client_auth: 'basic' }, 'another secret', 'client_secret_basic'],
    [{ client_auth: 'post' }, 'another secret', 'client_secret_post'],
    [{ client_secret_file: undefined }, undefined, 'client_secret_basic'],
  ] as const)('is refused with %j and %s', async (more, secret, method) => {
    provider.serve([console], method);
    await expect(logIn(more, secret)).rejects.toMatchObject({
      fault: 'CODE_REFUSED',
      facts: { error: expect.stringContaining('client authentication failed') },
    });
  });
});
