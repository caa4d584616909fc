import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { mcpBegunLogins, mcpClients, mcpLogins } from '../../src/storage/mcp-schema.js';
import { PrincipalEpochs } from '../../src/access/people/principal-epochs.js';
import { systemClock } from '../../src/platform/clock.js';
import { oauthFetch } from '../../src/tools/mcp/oauth/discovery.js';
import { OAuthLoginError } from '../../src/tools/mcp/oauth/oauth-error.js';
import { bothDatabases } from '../support/database/both-databases.js';
import { useDatabase } from '../support/database/database.js';
import { logIn, loginAt, openOAuth, visit } from '../support/mcp/open-oauth.js';
import { serveHttp } from '../support/serve-http.js';
import { startOAuthMcp, type OAuthMcp } from '../support/mcp/start-oauth-mcp.js';

const refused = (fault: string) => expect.objectContaining({ fault });

describe.each(bothDatabases)('log-ins at an MCP server, on %s', (_name, open) => {
  const database = useDatabase(open);
  let server: OAuthMcp;
  beforeEach(async () => {
    server = await startOAuthMcp();
    await database.db.delete(mcpLogins);
    await database.db.delete(mcpBegunLogins);
    await database.db.delete(mcpClients);
  });
  afterEach(() => server.close());

  it('takes the code of an answer for tokens, in another process than the one that began', async () => {
    const { db } = database;
    const [one, other] = [await openOAuth(db), await openOAuth(db)];
    const { url, issuer } = await one.flows.begin(loginAt(server.url));
    expect(issuer).toBe(server.issuer);
    const answer = await visit(url);
    const done = await other.flows.finish(answer, { principalId: 'ann' });
    expect(done).toMatchObject({ principalId: 'ann', name: 'tracker', scopes: ['read'] });
    const { scopes: _, begunAt, ...login } = done;
    const id = await db.transaction((tx) => one.logins.store(tx, login, begunAt));
    const opened = await other.logins.fresh(id);
    expect(opened?.accessToken).toMatch(/^access-/);
    expect(opened?.row).toMatchObject({ principalId: 'ann', server: server.url, version: 1 });
    // The tokens are in no row as they are.
    const rows = JSON.stringify([
      await db.select().from(mcpLogins),
      await db.select().from(mcpClients),
    ]);
    for (const secret of [opened?.accessToken, opened?.refreshToken, opened?.client.client_id]) {
      expect(rows).not.toContain(secret);
    }
  });

  it('names the server in both requests, with PKCE, and registers once for each issuer', async () => {
    const parts = await openOAuth(database.db);
    for (let time = 0; time < 2; time += 1) await logIn(parts, database.db, loginAt(server.url));
    expect(server.registrations).toBe(1);
    expect(server.authorizations.map(({ resource }) => resource?.href)).toEqual([
      server.url,
      server.url,
    ]);
    expect(server.tokenRequests).toHaveLength(2);
    expect(server.tokenRequests[0]).toMatchObject({
      resource: server.url,
      code_verifier: expect.any(String),
    });
    expect(await parts.logins.list('ann')).toHaveLength(1);
  });

  it('names no resource where the definition says so, and asks for its scopes', async () => {
    const parts = await openOAuth(database.db);
    await logIn(parts, database.db, loginAt(server.url, { resource: false, scopes: ['write'] }));
    expect(server.authorizations[0]).toMatchObject({ scopes: ['write'] });
    expect(server.authorizations[0]?.resource).toBeUndefined();
    expect(server.tokenRequests[0]).not.toHaveProperty('resource');
  });

  it('takes an answer once, from the person who began, and in time', async () => {
    const parts = await openOAuth(database.db);
    const begin = async (more = {}) => {
      const { url } = await parts.flows.begin(loginAt(server.url, {}, more));
      return visit(url);
    };
    const answer = await begin();
    await expect(parts.flows.finish(answer, { principalId: 'bob' })).rejects.toEqual(
      refused('OTHER_PERSON'),
    );
    await expect(parts.flows.finish(answer, { cookie: 'stolen' })).rejects.toEqual(
      refused('OTHER_BROWSER'),
    );
    await parts.flows.finish(answer, { principalId: 'ann' });
    await expect(parts.flows.finish(answer, { principalId: 'ann' })).rejects.toEqual(
      refused('NOT_BEGUN'),
    );
    const ofBrowser = await begin({ cookie: 'of the browser' });
    for (const by of [{ cookie: undefined }, { cookie: 'another' }, { principalId: 'ann' }]) {
      await expect(parts.flows.finish(ofBrowser, by)).rejects.toEqual(refused('OTHER_BROWSER'));
    }
    await parts.flows.finish(ofBrowser, { cookie: 'of the browser' });
    const late = await begin();
    await database.db.update(mcpBegunLogins).set({ expiresAt: new Date(Date.now() - 1) });
    await expect(parts.flows.finish(late, { principalId: 'ann' })).rejects.toEqual(
      refused('NOT_BEGUN'),
    );
    const unknown = new URLSearchParams({ code: 'x', state: 'made up' });
    await expect(parts.flows.finish(unknown, { principalId: 'ann' })).rejects.toEqual(
      refused('NOT_BEGUN'),
    );
  });

  it.each([
    ['another iss', { iss: 'https://evil.example' }, 'WRONG_ISSUER'],
    ['a code of nobody', { code: 'made up' }, 'CODE_REFUSED'],
  ])('takes no answer with %s', async (_what, redirect, fault) => {
    const parts = await openOAuth(database.db);
    server.redirect = redirect;
    const { url } = await parts.flows.begin(loginAt(server.url));
    const answer = await visit(url);
    await expect(parts.flows.finish(answer, { principalId: 'ann' })).rejects.toEqual(
      refused(fault),
    );
    await expect(parts.flows.finish(answer, { principalId: 'ann' })).rejects.toEqual(
      refused('NOT_BEGUN'),
    );
    expect(await parts.logins.list('ann')).toEqual([]);
  });

  it('takes one of two answers that come at once', async () => {
    const { db } = database;
    const [one, other] = [await openOAuth(db), await openOAuth(db)];
    const { url } = await one.flows.begin(loginAt(server.url));
    const answer = await visit(url);
    const by = { principalId: 'ann' };
    const ends = await Promise.allSettled([
      one.flows.finish(answer, by),
      other.flows.finish(answer, by),
    ]);
    const reasons = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons).toEqual([refused('NOT_BEGUN')]);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it('stores nothing of a person whose access was ended while the answer was on its way', async () => {
    const { db } = database;
    const parts = await openOAuth(db);
    const login = loginAt(server.url, {}, { principalId: 'gone' });
    const { url } = await parts.flows.begin(login);
    const { scopes: _, begunAt, ...done } = await parts.flows.finish(await visit(url), login);
    await new PrincipalEpochs(db, systemClock).endAccess(db, 'gone');
    const stored = db.transaction((tx) => parts.logins.store(tx, done, begunAt));
    await expect(stored).rejects.toEqual(refused('NOT_BEGUN'));
    expect(await parts.logins.list('gone')).toEqual([]);
    // Somebody who came back logs in anew.
    expect(await logIn(parts, db, login)).toMatch(/^mcpl_/);
  });

  it('reads no metadata that a server names at another origin than its own', async () => {
    let asked = 0;
    const other = await serveHttp((_request, response) => {
      asked += 1;
      response.end('{}');
    });
    try {
      const { discovery } = await openOAuth(database.db);
      const { definition } = loginAt(server.url).server;
      const found = await discovery.find(definition, new URL(`${other.url}/metadata`));
      expect([found.issuer, asked]).toEqual([server.issuer, 0]);
    } finally {
      await other.close();
    }
  });

  it('follows no redirect of metadata, and connects to no name that is inside the network', async () => {
    const asked: (string | undefined)[] = [];
    const inside = await serveHttp((request, response) => {
      asked.push(request.url);
      response.end('{}');
    });
    const turning = await serveHttp((_request, response) => {
      response.writeHead(302, { location: `${inside.url}/metadata` }).end();
    });
    try {
      const parts = await openOAuth(database.db);
      const begun = parts.flows.begin(loginAt(`${turning.url}/mcp`));
      await expect(begun).rejects.toBeInstanceOf(OAuthLoginError);
      const port = new URL(inside.url).port;
      const asOutside = oauthFetch([])('https://mcp.example/mcp');
      for (const name of ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433']) {
        const away = asOutside(`https://${name}:${port}/metadata`);
        await expect(away).rejects.toMatchObject({
          cause: expect.objectContaining({ name: 'AddressRefusedError' }),
        });
      }
      expect(asked).toEqual([]);
    } finally {
      await Promise.all([inside.close(), turning.close()]);
    }
  });

  it('sends no code where the answer leaves out the iss that was promised', async () => {
    const parts = await openOAuth(database.db);
    const { url } = await parts.flows.begin(loginAt(server.url));
    const answer = await visit(url);
    answer.delete('iss');
    await expect(parts.flows.finish(answer, { principalId: 'ann' })).rejects.toEqual(
      refused('WRONG_ISSUER'),
    );
    expect(server.tokenRequests).toEqual([]);
  });

  it('stores nothing where the person refuses', async () => {
    const parts = await openOAuth(database.db);
    server.agrees = false;
    const { url } = await parts.flows.begin(loginAt(server.url));
    const answer = await visit(url);
    const done = parts.flows.finish(answer, { principalId: 'ann' });
    await expect(done).rejects.toMatchObject({
      fault: 'REFUSED',
      facts: { error: 'access_denied: Not <today>' },
    });
    expect(server.tokenRequests).toEqual([]);
  });

  it.each<[string, Partial<OAuthMcp>, object, string]>([
    ['no PKCE', { issuerMetadata: { code_challenge_methods_supported: undefined } }, {}, 'NO_PKCE'],
    [
      'PKCE in plain text',
      { issuerMetadata: { code_challenge_methods_supported: ['plain'] } },
      {},
      'NO_PKCE',
    ],
    [
      'another issuer in its metadata',
      { issuerMetadata: { issuer: 'https://evil.example' } },
      {},
      'WRONG_ISSUER',
    ],
    [
      'another issuer than expected',
      {},
      { expectedIssuer: 'https://right.example' },
      'WRONG_ISSUER',
    ],
    [
      'the metadata of another server',
      { resourceMetadata: { resource: 'https://other.example/mcp' } },
      {},
      'WRONG_RESOURCE',
    ],
    [
      'a page over http',
      { issuerMetadata: { authorization_endpoint: 'http://as.example/authorize' } },
      {},
      'UNSAFE_ADDRESS',
    ],
    [
      'tokens over http',
      { issuerMetadata: { token_endpoint: 'http://as.example/token' } },
      {},
      'UNSAFE_ADDRESS',
    ],
    [
      'a page that is a script',
      { issuerMetadata: { authorization_endpoint: 'javascript:alert(1)' } },
      {},
      'AWAY',
    ],
    [
      'an issuer inside the network',
      { resourceMetadata: { authorization_servers: ['https://169.254.169.254'] } },
      {},
      'UNSAFE_ADDRESS',
    ],
    ['no registration', { issuerMetadata: { registration_endpoint: undefined } }, {}, 'NO_CLIENT'],
  ])('begins no log-in with %s', async (_what, state, settings, fault) => {
    Object.assign(server, state);
    const parts = await openOAuth(database.db);
    await expect(parts.flows.begin(loginAt(server.url, settings))).rejects.toEqual(refused(fault));
    expect(await database.db.select().from(mcpBegunLogins)).toEqual([]);
  });

  it('begins none where the issuer is not the one that the person was asked about', async () => {
    const parts = await openOAuth(database.db);
    const question = { issuer: 'https://before.example', scopes: [] };
    const begun = parts.flows.begin(loginAt(server.url, {}, { question }));
    await expect(begun).rejects.toEqual(refused('WRONG_ISSUER'));
  });

  it('is the client of its document where the authorization server reads one', async () => {
    server.issuerMetadata = { client_id_metadata_document_supported: true };
    const parts = await openOAuth(database.db);
    const clientDocument = 'https://agents.example/oauth/mcp/client.json';
    const redirect = { url: 'https://agents.example/oauth/mcp/callback', clientDocument };
    const { url } = await parts.flows.begin(loginAt(server.url, {}, { redirect }));
    expect(new URL(url).searchParams.get('client_id')).toBe(clientDocument);
    const own = await parts.flows.begin(loginAt(server.url, { clientId: 'by-hand' }, { redirect }));
    expect(new URL(own.url).searchParams.get('client_id')).toBe('by-hand');
    expect(server.registrations).toBe(0);
  });

  it('refreshes tokens once, whoever needs them in the same moment', async () => {
    const { db } = database;
    const workers = [await openOAuth(db), await openOAuth(db), await openOAuth(db)] as const;
    server.lifeS = 30;
    server.refreshMs = 200;
    const id = await logIn(workers[0], db, loginAt(server.url));
    server.lifeS = 3_600;
    const found = await Promise.all(workers.map(({ logins }) => logins.fresh(id)));
    expect(new Set(found.map((login) => login?.accessToken)).size).toBe(1);
    expect(found[0]?.row.version).toBe(2);
    const refreshes = server.tokenRequests.filter((one) => one['grant_type'] === 'refresh_token');
    expect(refreshes).toHaveLength(1);
    expect(refreshes[0]).toMatchObject({ resource: server.url });
  });

  it('begins no refresh before it knows the metadata of the issuer: its claim covers one request', async () => {
    const { db } = database;
    const id = await logIn(await openOAuth(db), db, loginAt(server.url));
    const claims: (Date | null)[] = [];
    server.beforeMetadata = async () => {
      const rows = await db.select().from(mcpLogins);
      claims.push(...rows.map(({ refreshingUntil }) => refreshingUntil));
    };
    // Another process, which knows no metadata.
    const { logins } = await openOAuth(db);
    expect((await logins.fresh(id, 1))?.row.version).toBe(2);
    expect(claims).toEqual([null]);
  });

  it('says that an issuer is away where a token that was refused cannot be refreshed', async () => {
    const { db } = database;
    const id = await logIn(await openOAuth(db), db, loginAt(server.url));
    server.issuerMetadata = { token_endpoint: 'https://127.0.0.1:9/token' };
    const { logins } = await openOAuth(db);
    await expect(logins.fresh(id, 1)).rejects.toEqual(refused('AWAY'));
    expect((await logins.fresh(id))?.row.version).toBe(1);
  });

  it('does not throw away the tokens of a log-in that came while a refresh failed', async () => {
    const { db } = database;
    const parts = await openOAuth(db);
    const id = await logIn(parts, db, loginAt(server.url));
    server.endTokens(true);
    server.refreshMs = 300;
    const failing = parts.logins.fresh(id, 1);
    while (!server.tokenRequests.some((one) => one['grant_type'] === 'refresh_token')) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await logIn(parts, db, loginAt(server.url))).toBe(id);
    expect((await failing)?.row.version).toBe(2);
    expect((await parts.logins.fresh(id))?.row.version).toBe(2);
  });

  it('ends a log-in that its issuer took back, and one without a refresh token', async () => {
    const { db } = database;
    const parts = await openOAuth(db);
    const id = await logIn(parts, db, loginAt(server.url));
    server.endTokens(true);
    expect(await parts.logins.fresh(id, 1)).toBeUndefined();
    server.refreshable = false;
    const other = await logIn(parts, db, loginAt(server.url));
    expect(await parts.logins.fresh(other, 1)).toBeUndefined();
    expect(await parts.logins.list('ann')).toEqual([]);
  });

  it('goes on after a process died in the middle of a refresh', async () => {
    const { db } = database;
    const parts = await openOAuth(db);
    const id = await logIn(parts, db, loginAt(server.url));
    const dead = { refreshingUntil: new Date(Date.now() + 300) };
    await db.update(mcpLogins).set(dead).where(eq(mcpLogins.id, id));
    expect((await parts.logins.fresh(id, 1))?.row.version).toBe(2);
  });

  it('revokes the tokens of a log-in that is ended, of its own principal alone', async () => {
    const { db } = database;
    const parts = await openOAuth(db);
    const id = await logIn(parts, db, loginAt(server.url));
    expect(await parts.logins.end({ id: 'bob' }, id)).toBeUndefined();
    const opened = await parts.logins.fresh(id);
    expect(await parts.logins.end({ id: 'ann' }, id)).toMatchObject({ isRevoked: true });
    expect(server.revoked).toEqual([opened?.refreshToken, opened?.accessToken]);
    expect(await parts.logins.fresh(id)).toBeUndefined();
  });

  it('opens no tokens that were moved to the log-in of somebody else, or to another server', async () => {
    const { db } = database;
    const parts = await openOAuth(db);
    const id = await logIn(parts, db, loginAt(server.url));
    const bobs = await logIn(parts, db, loginAt(server.url, {}, { principalId: 'bob' }));
    const [own] = await db.select().from(mcpLogins).where(eq(mcpLogins.id, id));
    await db
      .update(mcpLogins)
      .set({ tokens: own?.tokens ?? '' })
      .where(eq(mcpLogins.id, bobs));
    await expect(parts.logins.fresh(bobs)).rejects.toMatchObject({ type: 'SECRET_UNREADABLE' });
    await db
      .update(mcpLogins)
      .set({ server: 'https://evil.example/mcp' })
      .where(eq(mcpLogins.id, id));
    await expect(parts.logins.fresh(id)).rejects.toThrow('another server');
  });
});
