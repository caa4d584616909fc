import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mcpBegunLogins, mcpLogins } from '../../../src/storage/mcp-schema.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import type { StreamReader } from '../../support/clients/read-stream.js';
import { expectSoon } from '../../support/expect-soon.js';
import { visit } from '../../support/mcp/open-oauth.js';
import { startOAuthMcp, type OAuthMcp } from '../../support/mcp/start-oauth-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const APP = 'http://127.0.0.1:4455/callback';

describe('a log-in at an MCP server', () => {
  let tracker: OAuthMcp;
  /** Lists no tools before the log-in. */
  let closed: OAuthMcp;
  const server = useServer(async () => {
    [tracker, closed] = await Promise.all([startOAuthMcp(), startOAuthMcp()]);
    closed.listsToAll = false;
    const file = path.join(newFolder(), 'mcp.json');
    writeFileSync(
      file,
      JSON.stringify({
        mcpServers: { tracker: { url: tracker.url }, closed: { url: closed.url } },
      }),
    );
    return {
      environment: {
        TURNPIKE_MCP_FILE: file,
        TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({
          USER: [
            'mcp_servers: [tracker, closed]',
            'permissions: {allow: [mcp__tracker__*, mcp__closed__*]}',
          ],
        }),
      },
    };
  });
  afterAll(() => Promise.all([tracker.close(), closed.close()]));
  beforeEach(async () => {
    Object.assign(tracker, { agrees: true, scopeOf: {}, ran: [] });
    await server.db.delete(mcpLogins);
    await server.db.delete(mcpBegunLogins);
  });

  const base = '/api/harness';

  /** Begins a turn that calls a tool, and waits for its question. */
  async function ask(tool = 'tracker__whoami') {
    const { client, projectRoot } = server;
    const session = await client.createSession(projectRoot, { persona: 'USER' });
    const stream = await client.turn(session, `[[tool=mcp__${tool} {}]]`);
    const { data } = await stream.until('approval:request');
    return { stream, data, id: String(data['approvalId']) };
  }

  const resultOf = async (stream: StreamReader) => (await stream.until('tool:result')).data;

  /** Asks for the link as a browser does. */
  async function authorize(id: string, body = {}) {
    const asked = await new KeyedClient(server.url).send(
      'POST',
      `${base}/approvals/${id}/authorize`,
      body,
    );
    expect([asked.status, asked.text]).toEqual([200, expect.anything()]);
    const [cookie = ''] = (asked.headers.get('set-cookie') ?? '').split(';');
    return { url: String(asked.body['url']), cookie, head: asked.headers.get('set-cookie') ?? '' };
  }

  /** A request of a browser to the page that the authorization server sends it back to. */
  async function callBack(method: string, answer: URLSearchParams, headers = {}) {
    const url = `${server.url}/oauth/mcp/callback?${answer.toString()}`;
    const response = await fetch(url, { method, headers });
    return { status: response.status, text: await response.text(), headers: response.headers };
  }

  it('is asked for by the call, begins in a browser with a cookie, and the call runs once after a click', async () => {
    const { stream, data, id } = await ask();
    expect(data).toMatchObject({
      kind: 'mcp-authorize',
      name: 'mcp__tracker__whoami',
      question: { server: 'tracker', host: tracker.host, issuer: tracker.issuer, scopes: ['read'] },
      onTimeout: 'deny',
    });
    expect(JSON.stringify(data)).not.toContain('/authorize');
    const plain = await server.client.post(`${base}/approvals/${id}`, { decision: 'approve' });
    expect(plain).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('/authorize') } },
    });

    const { url, cookie, head } = await authorize(id);
    expect(new URL(url).origin).toBe(new URL(tracker.issuer).origin);
    expect(head).toMatch(/; HttpOnly; SameSite=Lax/);
    const answer = await visit(url);
    expect(await callBack('GET', answer)).toMatchObject({
      status: 400,
      text: expect.stringContaining('OTHER_BROWSER'),
    });
    const page = await callBack('GET', answer, { cookie });
    expect(page).toMatchObject({
      status: 200,
      text: expect.stringContaining('<form method="post">'),
    });
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(tracker.ran).toEqual([]);
    const foreign = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    expect(await callBack('POST', answer, foreign)).toMatchObject({ status: 403 });
    expect(await callBack('POST', answer, { cookie: `${cookie}x` })).toMatchObject({ status: 400 });
    expect(await callBack('POST', answer, { cookie })).toMatchObject({
      status: 200,
      text: expect.stringContaining('You are logged in at tracker'),
    });
    expect(await resultOf(stream)).toMatchObject({ status: 'success', output: 'whoami ran' });
    expect((await stream.all()).at(-1)?.data).toEqual({ exitCode: 0 });
    expect(tracker.ran).toHaveLength(1);
    expect(await callBack('POST', answer, { cookie })).toMatchObject({
      status: 400,
      text: expect.stringContaining('NOT_BEGUN'),
    });

    const [login] = await server.db.select().from(mcpLogins);
    expect(login).toMatchObject({ principalId: 'local', name: 'tracker', issuer: tracker.issuer });
    const token = tracker.ran[0]?.token ?? 'none';
    expect(token).toMatch(/^access-/);
    const shown = [
      server.logLines.join('\n'),
      JSON.stringify(await stream.all()),
      JSON.stringify(server.modelRequests),
    ];
    for (const text of shown) expect(text).not.toMatch(/access-|refresh-|code=|state=/);
  });

  it('is refused by the person at the authorization server, and the question stays open', async () => {
    const { stream, id } = await ask();
    tracker.agrees = false;
    const first = await authorize(id);
    const refusal = await callBack('GET', await visit(first.url), { cookie: first.cookie });
    expect(refusal).toMatchObject({
      status: 400,
      text: expect.stringContaining('Not &#60;today&#62;'),
    });
    const { body } = await server.client.get(`${base}/approvals/${id}`);
    expect(body['approval']).toMatchObject({ status: 'pending' });
    await server.client.post(`${base}/approvals/${id}`, { decision: 'deny' });
    expect(await resultOf(stream)).toMatchObject({
      status: 'denied',
      output: expect.stringContaining('declined to log in'),
    });
    expect(tracker.ran).toEqual([]);
  });

  it('is brought by an application with its key, whose redirect is listed or on the same machine', async () => {
    const { stream, id } = await ask();
    const refused = await server.client.post(`${base}/approvals/${id}/authorize`, {
      redirect: 'https://evil.example/x',
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { type: 'MCP_LOGIN_REFUSED', details: { reason: 'REDIRECT_REFUSED' } } },
    });
    const { url, head } = await authorize(id, { redirect: APP });
    expect(head).toBe('');
    const query = (await visit(url)).toString();
    const done = await server.client.post(`${base}/mcp/logins/callback`, { query });
    expect(done).toMatchObject({ status: 200, body: { server: 'tracker', approvalIds: [id] } });
    expect(await resultOf(stream)).toMatchObject({ output: 'whoami ran' });
    const again = await server.client.post(`${base}/mcp/logins/callback`, { query });
    expect(again).toMatchObject({
      status: 400,
      body: { error: { details: { reason: 'NOT_BEGUN' } } },
    });
  });

  it('answers all calls that wait for it, in all sessions of the person', async () => {
    const turns = [await ask(), await ask()];
    const { url } = await authorize(turns[0]?.id ?? '', { redirect: APP });
    const done = await server.client.post(`${base}/mcp/logins/callback`, {
      query: (await visit(url)).toString(),
    });
    expect(done.body['approvalIds']).toEqual(turns.map(({ id }) => id));
    for (const { stream } of turns)
      expect(await resultOf(stream)).toMatchObject({ output: 'whoami ran' });
  });

  it('is begun before a turn needs it, listed, and ended at its issuer', async () => {
    const begun = await server.client.post(`${base}/mcp/logins`, {
      server: 'tracker',
      redirect: APP,
    });
    await server.client.post(`${base}/mcp/logins/callback`, {
      query: (await visit(String(begun.body['url']))).toString(),
    });
    const listed = await server.client.get(`${base}/mcp/logins`);
    expect(listed.body).toMatchObject({
      logins: [{ server: 'tracker', url: tracker.url, issuer: tracker.issuer }],
      servers: [
        { name: 'tracker', host: tracker.host },
        { name: 'closed', host: closed.host },
      ],
    });
    const [{ id }] = listed.body['logins'] as [{ id: string }];
    const gone = await server.client.request('DELETE', `${base}/mcp/logins/${id}`);
    expect(gone).toMatchObject({ status: 200, body: { isRevoked: true, login: { id } } });
    expect(await server.db.$count(mcpLogins)).toBe(0);
    const other = await server.client.post(`${base}/mcp/logins`, {
      server: 'nobody',
      redirect: APP,
    });
    expect(other).toMatchObject({
      status: 400,
      body: { error: { details: { reason: 'UNKNOWN_SERVER' } } },
    });
  });

  it('comes with the tools of a server that lists none before, in the same turn', async () => {
    const { stream, id } = await ask('closed__authorize');
    const { url } = await authorize(id, { redirect: APP });
    await server.client.post(`${base}/mcp/logins/callback`, {
      query: (await visit(url)).toString(),
    });
    expect(await resultOf(stream)).toMatchObject({
      status: 'success',
      output: expect.stringContaining('whoami, write, echo'),
    });
    await stream.all();
    const tools = server.modelRequests.at(-1)?.body.tools?.map((tool) => tool.name);
    expect(tools).toEqual(
      expect.arrayContaining(['mcp__closed__authorize', 'mcp__closed__whoami']),
    );
  });

  it('is no question where nobody can be asked: the model reads why, at once', async () => {
    const { client, projectRoot } = server;
    const session = await client.createSession(projectRoot, { persona: 'USER', mode: 'dontAsk' });
    const stream = await client.turn(session, '[[tool=mcp__tracker__whoami {}]]');
    expect(await resultOf(stream)).toMatchObject({
      status: 'error',
      output: expect.stringContaining('nobody can be asked'),
    });
    expect((await stream.all()).map(({ event }) => event)).not.toContain('approval:request');
  });

  it.each(['tracker', 'closed'])(
    'is what a prompt of %s says that it needs, and how',
    async (name) => {
      const { client, projectRoot } = server;
      const session = await client.createSession(projectRoot, { persona: 'USER' });
      const opts = { prompt: { server: name, name: 'hello' } };
      const { host, issuer } = name === 'tracker' ? tracker : closed;
      const failed = (await client.turn(session, '/hello', { opts })).until('turn:error');
      expect((await failed).data).toMatchObject({
        errorType: 'MCP_PROMPT_FAILURE',
        message: `The prompt hello of the MCP server ${name} cannot be used: its server (${host}) wants you to log in at ${issuer}. Log in in the console (MCP log-ins), by "turnpike mcp login ${name}" or POST /api/harness/mcp/logins, then send the message again.`,
        details: { server: name, name: 'hello', login: { host, issuer } },
      });
      const begun = await client.post(`${base}/mcp/logins`, { server: name, redirect: APP });
      const query = (await visit(String(begun.body['url']))).toString();
      await client.post(`${base}/mcp/logins/callback`, { query });
      await (await client.turn(session, '/hello', { opts })).all();
      expect(JSON.stringify(server.modelRequests.at(-1)?.body.messages)).toContain('Say hello.');
    },
  );

  it('is of one person: nobody else begins, brings, sees or ends it', async () => {
    const [ann, bob] = await Promise.all(
      ['ann', 'bob'].map(async (principal) => {
        const { secret } = await makeKey(server, { principal, scopes: ['turns', 'approvals'] });
        return new KeyedClient(server.url, secret);
      }),
    );
    if (ann === undefined || bob === undefined) throw new Error('There are two');
    const revoked = tracker.revoked.length;
    const begun = await ann.send('POST', `${base}/mcp/logins`, {
      server: 'tracker',
      redirect: APP,
    });
    const query = (await visit(String(begun.body['url']))).toString();
    const stolen = await bob.send('POST', `${base}/mcp/logins/callback`, { query });
    expect(stolen).toMatchObject({
      status: 400,
      body: { error: { details: { reason: 'OTHER_PERSON' } } },
    });
    expect((await ann.send('POST', `${base}/mcp/logins/callback`, { query })).status).toBe(200);
    const { body } = await ann.send('GET', `${base}/mcp/logins`);
    const [{ id }] = body['logins'] as [{ id: string }];
    expect((await bob.send('GET', `${base}/mcp/logins`)).body['logins']).toEqual([]);
    expect(await bob.send('DELETE', `${base}/mcp/logins/${id}`)).toMatchObject({
      status: 404,
      body: { error: { type: 'MCP_LOGIN_NOT_FOUND' } },
    });
    // So is what somebody has who left, and what they had begun: their browser needs no credential to finish it.
    const carol = await makeKey(server, { principal: 'carol', scopes: ['turns', 'approvals'] });
    const carols = new KeyedClient(server.url, carol.secret);
    const link = { server: 'tracker', redirect: APP };
    const first = await carols.send('POST', `${base}/mcp/logins`, link);
    const brought = (await visit(String(first.body['url']))).toString();
    await carols.send('POST', `${base}/mcp/logins/callback`, { query: brought });
    const open = await carols.send('POST', `${base}/mcp/logins`, { server: 'closed' });
    const [cookie = ''] = (open.headers.get('set-cookie') ?? '').split(';');
    const late = await visit(String(open.body['url']));
    const manager = await makeKey(server, { principal: 'manager', scopes: ['admin'] });
    const left = await new KeyedClient(server.url, manager.secret).send(
      'DELETE',
      '/api/admin/principals/carol/access',
    );
    expect(left.body).toMatchObject({ principal: 'carol', mcpLogins: 1 });
    expect(tracker.revoked.slice(revoked)).toHaveLength(2);
    const page = await callBack('POST', late, { cookie });
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('NOT_BEGUN')]);
    expect(await server.db.$count(mcpLogins)).toBe(1);
    // What is forgotten is ended at its issuer too.
    const admin = await makeKey(server, { principal: 'root', scopes: ['admin'] });
    const gone = await new KeyedClient(server.url, admin.secret).send(
      'DELETE',
      '/api/admin/principals/ann',
    );
    expect([gone.status, gone.text]).toEqual([200, expect.anything()]);
    expect(await server.db.$count(mcpLogins)).toBe(0);
    expect(tracker.revoked.slice(revoked)).toHaveLength(4);
  });

  it('gives the server tokens of its own, and never the key of the caller', async () => {
    tracker.headers.length = 0;
    const { secret } = await makeKey(server, { principal: 'dora', scopes: ['turns', 'approvals'] });
    const dora = new KeyedClient(server.url, secret);
    const { body } = await dora.send('POST', `${base}/session/create`, { persona: 'USER' });
    const { sessionId } = body['session'] as { sessionId: string };
    const message = '[[tool=mcp__tracker__whoami {}]]';
    const opts = { onDisconnect: 'continue' };
    const more = { prefer: 'respond-async' };
    await dora.send('POST', `${base}/turn`, { sessionId, message, opts }, more);
    const find = async () => (await dora.send('GET', `${base}/approvals`)).body['approvals'];
    await expectSoon(async () => expect(await find()).toHaveLength(1));
    const [{ approvalId }] = (await find()) as [{ approvalId: string }];
    const where = `${base}/approvals/${approvalId}/authorize`;
    const begun = await dora.send('POST', where, { redirect: APP });
    const query = (await visit(String(begun.body['url']))).toString();
    await dora.send('POST', `${base}/mcp/logins/callback`, { query });
    await expectSoon(() => expect(tracker.ran).toHaveLength(1));
    const heard = tracker.headers.join('\n');
    expect(heard).not.toContain(secret);
    expect(heard).not.toContain('dora');
    const credentials = tracker.headers.map(
      (one) => (JSON.parse(one) as Record<string, string>)['authorization'],
    );
    const own = `Bearer ${tracker.ran[0]?.token}`;
    expect(new Set(credentials)).toEqual(new Set([undefined, own]));
  });
});
