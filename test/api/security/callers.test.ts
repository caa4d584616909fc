import { describe, expect, it } from '@jest/globals';
import { TurnpikeClient } from '../../../src/client/turnpike-client.js';
import { pageOf } from '../../support/access/page-token.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { KeyedClient, keyedClient } from '../../support/clients/keyed-client.js';
import { useServer } from '../../support/processes/start-server.js';

const path = '/api/harness/me';

describe('who a caller is', () => {
  const { issuer, environment } = useTokenIssuer([
    { group: 'staff', agents: ['READER'], project_roots: ['/srv/a'], limits: { usd_per_day: 2 } },
  ]);
  const server = useServer({ environment });

  it('is said to a person with a token: groups, rights, and when the token ends', async () => {
    const exp = Math.floor(Date.now() / 1_000) + 100;
    const token = await issuer.sign({ groups: ['staff', 'others'], exp });
    const client = new TurnpikeClient({ url: server.url, key: token });
    expect(await client.me()).toEqual({
      principal: 'idp:ann',
      credential: { kind: 'token', issuer: 'idp', groups: ['staff', 'others'] },
      scopes: ['turns', 'approvals'],
      limits: expect.objectContaining({ usdPerDay: 2, requestsPerMinute: expect.any(Number) }),
      agents: ['READER'],
      approves: [],
      projectRoots: ['/srv/a'],
      expiresAt: new Date(exp * 1_000).toISOString(),
    });
  });

  it.each(['admin', 'metrics', 'approvals'])(
    'is said to a key with the scope %s',
    async (scope) => {
      const key = await keyedClient(server, { principal: 'ops', scopes: [scope] });
      expect((await key.send('GET', path)).body).toMatchObject({
        principal: 'ops',
        credential: { kind: 'key', keyId: expect.stringMatching(/./) },
        scopes: [scope],
        agents: null,
        approves: [],
        expiresAt: null,
      });
    },
  );

  it('is said with the end of a key, and of a page token that is for one session', async () => {
    const scopes = ['turns', 'tokens'];
    const key = await keyedClient(server, { principal: 'app', scopes, expiresIn: '1h' });
    const { body } = await key.send('GET', path);
    const leftMs = Date.parse(String(body['expiresAt'])) - Date.now();
    expect([leftMs > 3_500_000, leftMs <= 3_600_000]).toEqual([true, true]);
    const made = await key.send('POST', '/api/harness/session/create', {});
    const { sessionId } = made.body['session'] as { sessionId: string };
    const page = await pageOf(key, { sessionId, expiresIn: 60 });
    const ofPage = (await page.send('GET', path)).body;
    const { keyId } = body['credential'] as { keyId: string };
    expect(ofPage).toMatchObject({
      principal: 'app',
      credential: { kind: 'page', keyId, sessionId },
    });
    expect(Date.parse(String(ofPage['expiresAt']))).toBeLessThan(Date.now() + 61_000);
  });

  it('is said to nobody else', async () => {
    expect((await new KeyedClient(server.url).send('GET', path)).status).toBe(401);
  });
});

describe('who a caller is at an open server', () => {
  const server = useServer();

  it('is the one principal, which nothing vouches for', async () => {
    const { body } = await new KeyedClient(server.url).send('GET', path);
    expect(body).toMatchObject({
      principal: 'local',
      credential: { kind: 'none' },
      scopes: ['turns', 'approvals'],
      expiresAt: null,
    });
  });
});
