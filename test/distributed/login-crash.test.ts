import { describe, expect, it } from '@jest/globals';
import { CookieBrowser, useLoginProvider } from '../support/access/login-provider.js';
import { startDeployment } from '../support/processes/start-deployment.js';
import { useShared } from '../support/suite.js';

describe('kill -9 between the redirect to the provider and its answer', () => {
  const { provider, environment } = useLoginProvider();
  const deployment = useShared(startDeployment);

  it('loses no log-in: another process finishes it', async () => {
    const variables = await environment();
    const dying = await deployment.start('api', variables);
    provider.serve([dying.url]);
    const browser = new CookieBrowser();
    const answer = await browser.beginLogin(dying.url, '/settings');
    await dying.kill('SIGKILL');
    // As behind a gateway, at the same address.
    const { port } = new URL(dying.url);
    const next = await deployment.start('api', { ...variables, TURNPIKE_PORT: port });
    expect(next.url).toBe(dying.url);
    const { url, response } = await browser.go(answer);
    expect([url, response.status]).toEqual([`${next.url}/settings`, 200]);
    const asked = await browser.ask(next.url, '/api/harness/me');
    expect(await asked.json()).toMatchObject({
      principal: 'idp:ann',
      credential: { kind: 'login', name: 'Ann Example' },
    });
  });
});
