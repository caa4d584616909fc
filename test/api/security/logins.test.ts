import { hash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { systemClock } from '../../../src/platform/clock.js';
import { auditLog, grants, logins } from '../../../src/storage/governance-schema.js';
import { Logins } from '../../../src/access/logins/logins.js';
import { MAX_WRONG_KEYS } from '../../../src/access/origin/check-origin.js';
import { CookieBrowser, ISSUER, useLoginProvider } from '../../support/access/login-provider.js';
import { KeyedClient, makeKey, sendRaw } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { useShared } from '../../support/suite.js';

const HOUR_MS = 3_600_000;

describe('people who log in to the console', () => {
  const { provider, environment } = useLoginProvider([
    { group: 'staff', agents: ['WORKING_ITEMS'] },
    { group: 'admins', scopes: ['turns', 'admin'] },
  ]);
  let ahead = 0;
  const clock = { now: () => systemClock.now() + ahead, after: systemClock.after };
  const server = useServer(async () => ({ environment: await environment(), clock }));
  const other = useShared(async () =>
    startServer({ environment: await environment(), store: server.store, clock }),
  );
  beforeAll(() => provider.serve([server.url, other.url]));
  beforeEach(() => {
    ahead = 0;
    provider.isAway = false;
    provider.person = { sub: 'ann', name: 'Ann Example', groups: ['staff'] };
  });
  const loggedIn = async (sub = 'ann', groups = ['staff']): Promise<CookieBrowser> => {
    provider.person = { sub, name: 'Ann Example', groups };
    const browser = new CookieBrowser();
    expect((await browser.logIn(server.url)).response.status).toBe(200);
    return browser;
  };
  const me = async (browser: CookieBrowser, at = server.url) =>
    (await browser.ask(at, '/api/harness/me')).json() as Promise<Record<string, unknown>>;
  const statusOf = async (browser: CookieBrowser, at = server.url) =>
    (await browser.ask(at, '/api/harness/usage')).status;
  const audited = async (action: string) =>
    server.db.select().from(auditLog).where(eq(auditLog.action, action));

  it('come back to the page they left, and are known by name, groups and role', async () => {
    const browser = new CookieBrowser();
    const { url, response } = await browser.logIn(server.url, '/settings?tab=1');
    expect([url, response.status]).toEqual([`${server.url}/settings?tab=1`, 200]);
    expect(await me(browser)).toMatchObject({
      principal: 'idp:ann',
      credential: { kind: 'login', issuer: ISSUER, name: 'Ann Example', groups: ['staff'] },
      scopes: ['turns', 'approvals'],
      agents: ['WORKING_ITEMS'],
    });
    const [row] = await server.db.select().from(logins).where(eq(logins.principalId, 'idp:ann'));
    expect(JSON.stringify(row)).not.toContain(browser.cookie('turnpike'));
    expect(await audited('login.succeeded')).toContainEqual(
      expect.objectContaining({
        principalId: 'idp:ann',
        subject: row?.id,
        details: expect.objectContaining({
          issuer: ISSUER,
          credential: { kind: 'login', id: row?.id, issuer: ISSUER },
        }),
      }),
    );
    // The other process knows the person by the same cookie.
    expect(await statusOf(browser, other.url)).toBe(200);
  });

  it('have a cookie that pages cannot read, and over TLS no other host can set', async () => {
    const begun = await fetch(`${server.url}/console/login/${ISSUER}`, { redirect: 'manual' });
    expect(begun.headers.get('set-cookie')).toMatch(
      /^turnpike-begun-[\w-]{16}=[\w-]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
    );
    const head = ['Host', 'turnpike.example', 'X-Forwarded-Proto', 'https'];
    const path = `/console/login/${ISSUER}`;
    const overTls = await sendRaw(server.url, { path, headers: head });
    expect(overTls.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-turnpike-begun-[\w-]{16}=.*; HttpOnly; SameSite=Lax; Secure$/),
    ]);
    const sent = new URL(String(overTls.headers.location)).searchParams.get('redirect_uri');
    expect(sent).toBe(`https://turnpike.example/console/callback/${ISSUER}`);
    // A cookie without the prefix counts at a loopback name alone.
    const browser = await loggedIn();
    const cookie = `turnpike=${browser.cookie('turnpike')}`;
    const asked = ['Host', 'turnpike.example', 'Cookie', cookie];
    const refused = await sendRaw(server.url, { path: '/api/harness/me', headers: asked });
    expect(refused.status).toBe(401);
  });

  it.each(['https://evil.example/', '//evil.example', '/\\evil.example', '/\t/evil.example', 'x'])(
    'come back to the console where the path is %j',
    async (path) => {
      const { url } = await new CookieBrowser().logIn(server.url, path);
      expect(url).toBe(`${server.url}/`);
    },
  );

  it('are told what to do where an answer of the provider is not for them', async () => {
    const asked = async (browser: CookieBrowser, url: string) => {
      const { response } = await browser.go(url);
      expect(response.headers.get('content-type')).toContain('text/html');
      expect(browser.cookie('turnpike')).toBeUndefined();
      const page = await response.text();
      return [response.status, /<code>(\S+ ?[A-Z_]*)/.exec(page)?.[1]];
    };
    const nobody = await asked(new CookieBrowser(), `${server.url}/console/callback/idp?code=a`);
    expect(nobody).toEqual([400, 'LOGIN_REFUSED NOT_BEGUN']);
    const refused = expect.objectContaining({ details: { reason: 'NOT_BEGUN', issuer: ISSUER } });
    expect(await audited('login.refused')).toContainEqual(refused);
    const [browser, thief] = [new CookieBrowser(), new CookieBrowser()];
    const answer = await browser.beginLogin(server.url);
    const forged = new URL(answer);
    forged.searchParams.set('state', 'another');
    // The code of one browser in the log-in of another: an attacker's session for a victim.
    await thief.beginLogin(server.url);
    expect(await asked(thief, answer)).toEqual([400, 'LOGIN_REFUSED NOT_BEGUN']);
    expect(await asked(new CookieBrowser().steal(browser), forged.href)).toEqual([
      400,
      'LOGIN_REFUSED NOT_BEGUN',
    ]);
    const [own = ''] = browser.names('turnpike-begun-');
    // The cookie of one log-in in the place of another.
    const moved = new CookieBrowser().steal(browser);
    const place = hash('sha256', 'another', 'base64url').slice(0, 16);
    moved.rename(own, `turnpike-begun-${place}`);
    expect(await asked(moved, forged.href)).toEqual([400, 'LOGIN_REFUSED WRONG_STATE']);
    // Whoever has the cookie and not the code has nothing.
    const guessed = new URL(answer);
    guessed.searchParams.set('code', 'guessed');
    expect(await asked(new CookieBrowser().steal(browser), guessed.href)).toEqual([
      400,
      'LOGIN_REFUSED CODE_REFUSED',
    ]);
    ahead = 10 * 60_000 + 1;
    const late = await asked(new CookieBrowser().steal(browser), answer);
    expect(late).toEqual([400, 'LOGIN_REFUSED EXPIRED']);
    ahead = 0;
    // Once the code has been used, nobody can use it again, with the cookie either.
    const copy = new CookieBrowser().steal(browser);
    expect((await browser.go(answer)).response.status).toBe(200);
    expect(browser.names('turnpike-begun-')).toEqual([]);
    expect(own).toMatch(/^turnpike-begun-/);
    expect(await asked(copy, answer)).toEqual([400, 'LOGIN_REFUSED CODE_REFUSED']);
    const unknown = await asked(new CookieBrowser(), `${server.url}/console/login/nobody`);
    expect(unknown).toEqual([400, 'LOGIN_REFUSED UNKNOWN_ISSUER']);
    const head = ['Host', '[turnpike', 'Accept', 'application/json'];
    const nowhere = await sendRaw(server.url, { path: `/console/login/${ISSUER}`, headers: head });
    expect([nowhere.status, nowhere.text]).toEqual([400, expect.stringContaining('UNKNOWN_HOST')]);
  });

  it('may begin in several tabs, and finish in each', async () => {
    const browser = new CookieBrowser();
    const answers = [
      await browser.beginLogin(server.url),
      await browser.beginLogin(server.url, '/usage'),
    ];
    for (const answer of answers) {
      const { response, url } = await browser.go(answer);
      expect([response.status, url.startsWith(server.url)]).toEqual([200, true]);
      expect(await statusOf(browser)).toBe(200);
    }
    // A reload of a callback, and a tab that a browser restores.
    for (const answer of answers) {
      const { url } = await browser.go(answer);
      expect(url).toBe(`${server.url}/`);
    }
    expect(await statusOf(browser)).toBe(200);
    expect(browser.names('turnpike-begun-')).toEqual([]);
  });

  it('forget the oldest of many that they began', async () => {
    const browser = new CookieBrowser();
    const answers: string[] = [];
    for (let tab = 0; tab < 12; tab += 1) {
      ahead = tab;
      answers.push(await browser.beginLogin(server.url));
    }
    expect(browser.names('turnpike-begun-')).toHaveLength(10);
    const [oldest = ''] = answers;
    expect((await browser.go(oldest)).response.status).toBe(400);
    expect((await browser.go(answers.at(-1) ?? '')).response.status).toBe(200);
    ahead = 0;
  });

  it('are told why the provider, or this server, does not take them', async () => {
    provider.person = 'refuses';
    const refused = (await new CookieBrowser().logIn(server.url)).response;
    const page = await refused.text();
    expect([refused.status, page]).toEqual([400, expect.stringContaining('PROVIDER_REFUSED')]);
    expect(page).toContain('access_denied: Not &#60;today&#62;');
    provider.person = { sub: 'eve', name: 'Eve', groups: ['guests'] };
    const noRole = (await new CookieBrowser().logIn(server.url)).response;
    expect([noRole.status, await noRole.text()]).toEqual([
      403,
      expect.stringMatching(/groups guests[^]*FORBIDDEN_ROLE/),
    ]);
    provider.person = { sub: 'ann', name: 'Ann', groups: ['staff'] };
    const browser = new CookieBrowser();
    const answer = await browser.beginLogin(server.url);
    provider.isAway = true;
    const away = (await browser.go(answer)).response;
    expect([away.status, await away.text()]).toEqual([
      503,
      expect.stringContaining('ISSUER_UNAVAILABLE'),
    ]);
  });

  it('have an ID token that is no access token', async () => {
    await loggedIn();
    const thief = new KeyedClient(server.url, provider.idToken);
    const { status, body } = await thief.send('GET', '/api/harness/usage');
    expect([status, body['error']]).toEqual([
      401,
      expect.objectContaining({
        details: { reason: 'WRONG_AUDIENCE', issuer: ISSUER, claim: 'aud' },
      }),
    ]);
  });

  it('get a new cookie at each log-in, and the one before ends', async () => {
    const browser = await loggedIn();
    const before = new CookieBrowser().steal(browser);
    await browser.logIn(server.url);
    expect(browser.cookie('turnpike')).not.toBe(before.cookie('turnpike'));
    expect([await statusOf(browser), await statusOf(before)]).toEqual([200, 401]);
  });

  it('are known by this cookie to the pages of this server alone', async () => {
    const browser = await loggedIn();
    const send = async (headers: Record<string, string>, method = 'GET') => {
      const path = method === 'GET' ? '/api/harness/me' : '/api/harness/session/create';
      const body = method === 'GET' ? {} : { body: '{}' };
      const type = { 'content-type': 'application/json' };
      const sent = { method, headers: { ...type, ...headers }, ...body };
      return (await browser.send(server.url + path, sent)).status;
    };
    const own = { origin: server.url, 'sec-fetch-site': 'same-origin' };
    expect([await send(own), await send(own, 'POST')]).toEqual([200, 200]);
    const sites = ['cross-site', 'same-site'].map((site) => ({ 'sec-fetch-site': site }));
    for (const foreign of [{ origin: 'https://evil.example' }, { origin: 'null' }, ...sites]) {
      expect([foreign, await send(foreign), await send(foreign, 'POST')]).toEqual([
        foreign,
        403,
        403,
      ]);
    }
    expect(await send({ ...own, 'content-type': 'text/plain' }, 'POST')).toBe(415);
    const logOut = { method: 'POST', headers: { origin: 'https://evil.example' } };
    expect((await browser.send(`${server.url}/console/logout`, logOut)).status).toBe(403);
    expect(await send(own)).toBe(200);
  });

  it('end with the time', async () => {
    const browser = await loggedIn();
    for (const hours of [7, 14, 21, 23.9]) {
      ahead = hours * HOUR_MS;
      expect([hours, await statusOf(browser)]).toEqual([hours, 200]);
      await expectSoon(async () => {
        const [row] = await server.db
          .select()
          .from(logins)
          .where(eq(logins.principalId, 'idp:ann'));
        expect(row).toBeDefined();
        const used = await server.db.select().from(logins);
        expect(used.some((one) => one.lastUsedAt.getTime() > clock.now() - HOUR_MS)).toBe(true);
      });
    }
    const copy = new CookieBrowser().steal(browser);
    ahead = 24 * HOUR_MS;
    const over = await browser.ask(server.url, '/api/harness/me');
    expect([over.status, await over.json()]).toMatchObject([
      401,
      { error: { type: 'UNAUTHENTICATED', details: { reason: 'LOGIN_ENDED', logins: [ISSUER] } } },
    ]);
    // The browser sends the cookie no more.
    expect(browser.cookie('turnpike')).toBeUndefined();
    expect(await statusOf(copy)).toBe(401);
    ahead = 0;
    const idle = await loggedIn('bob');
    ahead = 8 * HOUR_MS;
    expect(await statusOf(idle)).toBe(401);
  });

  it('log out, also of the provider', async () => {
    const browser = await loggedIn();
    const copy = new CookieBrowser().steal(browser);
    const { db } = server;
    const rows = await db.select().from(logins).where(eq(logins.principalId, 'idp:ann'));
    const answer = await browser.ask(server.url, '/console/logout', { method: 'POST' });
    const text = await answer.text();
    expect([answer.status, text]).toEqual([200, expect.stringContaining('"url"')]);
    const { url } = JSON.parse(text) as { url: string };
    expect(url).toMatch(`${provider.url}/session/end?`);
    const { searchParams } = new URL(url);
    expect(searchParams.get('post_logout_redirect_uri')).toBe(`${server.url}/`);
    expect(browser.cookie('turnpike')).toBeUndefined();
    expect(await statusOf(copy)).toBe(401);
    await expectSoon(async () => expect(await statusOf(copy, other.url)).toBe(401));
    expect(await audited('login.ended')).toContainEqual(
      expect.objectContaining({ details: expect.objectContaining({ reason: 'requested' }) }),
    );
    // Streams that were open look for it.
    const ended = rows.map(({ id }) => server.get(Logins).hasEnded(id));
    expect(await Promise.all(ended)).toContain(true);
    const again = await browser.ask(server.url, '/console/logout', { method: 'POST' });
    expect([again.status, await again.json()]).toEqual([200, { url: '/' }]);
  });

  it('lose their log-ins when their access is ended, and come back by another one', async () => {
    const { secret } = await makeKey(server, { principal: 'root', scopes: ['turns', 'admin'] });
    const admin = new KeyedClient(server.url, secret);
    const [first, second] = [await loggedIn('lea'), await loggedIn('lea')];
    const ended = await admin.send('DELETE', '/api/admin/principals/idp:lea/access');
    expect(ended.body).toMatchObject({ principal: 'idp:lea', logins: 2 });
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 401]);
    // The token of a log-in in the same moment is of the time before.
    const { response } = await new CookieBrowser().logIn(server.url);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('ENDED'),
    ]);
  });

  it('have streams that end with their access, and say so', async () => {
    const { secret } = await makeKey(server, { principal: 'root2', scopes: ['turns', 'admin'] });
    const browser = await loggedIn('ida');
    const post = async (where: string, body: object): Promise<Response> =>
      browser.ask(server.url, where, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
        body: JSON.stringify(body),
      });
    const { projectRoot } = server;
    const made = await post('/api/harness/session/create', { projectRoot });
    const { sessionId } = ((await made.json()) as { session: { sessionId: string } }).session;
    const message = '[[tokens=2]][[stall=600000]]';
    const turn = await post('/api/harness/turn', { sessionId, message });
    expect(turn.status).toBe(200);
    const text = turn.text();
    const admin = new KeyedClient(server.url, secret);
    await admin.send('DELETE', '/api/admin/principals/idp:ida/access');
    expect(await text).toMatch(/event: session:reauthenticate\ndata: {"reason":"ended"}\n\n$/);
  });

  it('renew the grants of their schedules', async () => {
    const browser = await loggedIn('gus');
    const schedule = { cron: '0 0 1 1 *', tz: 'UTC', session: 'new', message: 'Hello' };
    const put = await browser.ask(server.url, '/api/harness/schedules/of-gus', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(schedule),
    });
    expect(put.status).toBe(200);
    const find = async () =>
      (await server.db.select().from(grants).where(eq(grants.principalId, 'idp:gus')))[0];
    const before = await find();
    expect(before).toMatchObject({ issuer: ISSUER, groups: ['staff'] });
    ahead = 2 * HOUR_MS;
    provider.person = { sub: 'gus', name: 'Gus', groups: ['staff', 'admins'] };
    expect((await new CookieBrowser().logIn(other.url)).response.status).toBe(200);
    await expectSoon(async () => expect((await find())?.groups).toEqual(['staff', 'admins']));
  });

  it('are asked to log in where a request has no credential', async () => {
    const answer = await fetch(`${server.url}/api/harness/me`);
    expect([answer.status, await answer.json()]).toMatchObject([
      401,
      { error: { details: { reason: 'MISSING', logins: [ISSUER] } } },
    ]);
  });

  it('are not taken for somebody else by what looks like a cookie', async () => {
    const browser = await loggedIn();
    const value = browser.cookie('turnpike') ?? '';
    for (const forged of ['x', `${value}x`, value.replace(/\..*/, ''), `a${value}`]) {
      const headers = { cookie: `turnpike=${forged}` };
      expect((await fetch(`${server.url}/api/harness/me`, { headers })).status).toBe(401);
    }
    // No token is in a cookie, and no cookie is a token.
    const bearer = { authorization: `Bearer ${value}` };
    expect((await fetch(`${server.url}/api/harness/me`, { headers: bearer })).status).toBe(401);
  });
});

describe('a console that only some people may use', () => {
  const required = { name: 'Ann Example' };
  const { provider, environment } = useLoginProvider(undefined, { required });
  const server = useServer(async () => ({ environment: await environment() }));
  beforeAll(() => provider.serve([server.url]));

  it.each([
    ['Ann Example', undefined],
    ['Eve', 'WRONG_CLAIM'],
    [undefined, 'MISSING_CLAIM'],
  ])('treats somebody called %s so: %s', async (name, fault) => {
    provider.person = { sub: 'ann', groups: ['staff'], ...(name !== undefined && { name }) };
    const browser = new CookieBrowser();
    const { response } = await browser.logIn(server.url);
    const page = await response.text();
    expect(response.status).toBe(fault === undefined ? 200 : 400);
    expect(browser.cookie('turnpike') === undefined).toBe(fault !== undefined);
    if (fault !== undefined)
      expect(page).toMatch(new RegExp(`\\(name\\)[^]*LOGIN_REFUSED ${fault}`));
  });
});

describe('an address that log-ins fail at', () => {
  const { provider, environment } = useLoginProvider();
  const server = useServer(async () => ({ environment: await environment() }));
  beforeAll(() => provider.serve([server.url]));

  it('is refused for guesses, and not for people whom the provider refuses', async () => {
    provider.person = 'refuses';
    for (let time = 0; time <= MAX_WRONG_KEYS; time += 1) {
      const { response } = await new CookieBrowser().logIn(server.url);
      expect([time, response.status]).toEqual([time, 400]);
    }
    const callback = `${server.url}/console/callback/${ISSUER}?code=guessed&state=`;
    const statuses: number[] = [];
    for (let time = 0; time <= MAX_WRONG_KEYS; time += 1) {
      statuses.push((await fetch(`${callback}${time}`)).status);
    }
    expect(statuses).toEqual([...Array.from({ length: MAX_WRONG_KEYS }, () => 400), 429]);
    // Whoever did begin a log-in finishes it all the same.
    provider.person = { sub: 'ann', groups: ['staff'] };
    expect((await new CookieBrowser().logIn(server.url)).response.status).toBe(200);
  });
});
