import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mcpBegunLogins, mcpClients, mcpLogins } from '../../src/storage/mcp-schema.js';
import type { Mcp, OpenedServers } from '../../src/tools/mcp/mcp.js';
import type { CallAnswer } from '../../src/tools/tool.js';
import { bothDatabases } from '../support/database/both-databases.js';
import { useDatabase } from '../support/database/database.js';
import { logIn, loginAt, openOAuth, visit, type OAuthParts } from '../support/mcp/open-oauth.js';
import { callMcp, openTestMcp, turnOf } from '../support/mcp/open-test-mcp.js';
import { startOAuthMcp, type OAuthMcp } from '../support/mcp/start-oauth-mcp.js';

const answered = (action: CallAnswer['action'], times = 1): CallAnswer[] =>
  Array.from({ length: times }, () => ({ kind: 'mcp-authorize', question: {}, action }));

describe.each(bothDatabases)('calls of a server that wants a log-in, on %s', (_name, open) => {
  const database = useDatabase(open);
  let server: OAuthMcp;
  let parts: OAuthParts;
  let mcp: Mcp;
  const opened: OpenedServers[] = [];
  beforeEach(async () => {
    server = await startOAuthMcp();
    for (const table of [mcpLogins, mcpBegunLogins, mcpClients]) await database.db.delete(table);
    parts = await openOAuth(database.db);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await mcp.close();
    await server.close();
  });

  async function start(definition: object = {}): Promise<void> {
    const servers = { tracker: { url: server.url, ...definition } };
    mcp = await openTestMcp({ servers, oauth: parts });
  }

  async function turn(principalId: string, more: object = {}): Promise<OpenedServers> {
    const one = await turnOf(mcp, { principalId, ...more });
    opened.push(one);
    return one;
  }

  const asked = (scopes: string[]) =>
    expect.objectContaining({
      name: 'CallWaits',
      executed: false,
      asked: expect.objectContaining({
        kind: 'mcp-authorize',
        question: { server: 'tracker', host: server.host, issuer: server.issuer, scopes },
      }),
    });

  it('asks for the log-in, and runs with the tokens of the person of the turn alone', async () => {
    await start();
    const before = await turn('ann');
    await expect(callMcp(before, 'mcp__tracker__whoami')).rejects.toEqual(asked(['read']));
    await logIn(parts, database.db, loginAt(server.url));
    // The turn goes on in another attempt.
    expect(await callMcp(await turn('ann'), 'mcp__tracker__whoami')).toBe('whoami ran');
    await expect(callMcp(await turn('bob'), 'mcp__tracker__whoami')).rejects.toEqual(
      asked(['read']),
    );
    const [row] = await parts.logins.list('ann');
    const own = row && (await parts.logins.open(row));
    expect(server.ran).toEqual([{ tool: 'whoami', token: own?.accessToken }]);
  });

  it('tells the model that the person did not log in, or that it did not help', async () => {
    await start();
    for (const action of ['decline', 'cancel'] as const) {
      const call = callMcp(
        await turn('ann'),
        'mcp__tracker__whoami',
        {},
        { answers: answered(action) },
      );
      await expect(call).rejects.toMatchObject({
        name: 'ToolFailure',
        message: expect.stringContaining('did not log in'),
      });
    }
    const again = callMcp(
      await turn('ann'),
      'mcp__tracker__whoami',
      {},
      { answers: answered('accept', 3) },
    );
    await expect(again).rejects.toMatchObject({
      name: 'ToolFailure',
      message: expect.stringContaining('did not take a log-in'),
    });
    expect(server.ran).toEqual([]);
  });

  it('refreshes a token that the server takes no more, and runs the call once', async () => {
    await start();
    await logIn(parts, database.db, loginAt(server.url));
    const one = await turn('ann');
    expect(await callMcp(one, 'mcp__tracker__whoami')).toBe('whoami ran');
    server.endTokens();
    expect(await callMcp(one, 'mcp__tracker__whoami')).toBe('whoami ran');
    expect(server.ran).toHaveLength(2);
    expect(server.tokenRequests.at(-1)).toMatchObject({ grant_type: 'refresh_token' });
    server.endTokens(true);
    await expect(callMcp(one, 'mcp__tracker__whoami')).rejects.toEqual(asked(['read']));
  });

  it('counts log-ins and refreshes', async () => {
    await start();
    const begin = async (by: string) => {
      const { url } = await parts.flows.begin(loginAt(server.url));
      return parts.flows.finish(await visit(url), { principalId: by });
    };
    const id = await logIn(parts, database.db, loginAt(server.url));
    server.agrees = false;
    await expect(begin('ann')).rejects.toMatchObject({ fault: 'REFUSED' });
    // Nobody's attempt with somebody else's answer counts.
    await expect(begin('bob')).rejects.toMatchObject({ fault: 'OTHER_PERSON' });
    await parts.logins.fresh(id, 1);
    server.endTokens(true);
    await parts.logins.fresh(id, 2);
    const { values } = await parts.metrics.mcpLogins.get();
    expect(values.map(({ labels, value }) => [labels.outcome, value])).toEqual([
      ['begun', 3],
      ['finished', 1],
      ['failed', 1],
      ['refreshed', 1],
      ['refresh_failed', 1],
    ]);
  });

  it('asks for more scopes, with those that there are, and not for the same ones again', async () => {
    await start();
    server.scopeOf = { write: 'write' };
    await logIn(parts, database.db, loginAt(server.url));
    const one = await turn('ann');
    expect(await callMcp(one, 'mcp__tracker__whoami')).toBe('whoami ran');
    await expect(callMcp(one, 'mcp__tracker__write')).rejects.toEqual(asked(['read', 'write']));
    const question = { issuer: server.issuer, scopes: ['read', 'write'] };
    await logIn(parts, database.db, loginAt(server.url, {}, { question }));
    expect(await callMcp(await turn('ann'), 'mcp__tracker__write')).toBe('write ran');
    server.grants = ['read'];
    await logIn(parts, database.db, loginAt(server.url, {}, { question }));
    await expect(callMcp(await turn('ann'), 'mcp__tracker__write')).rejects.toMatchObject({
      name: 'ToolFailure',
      message: expect.stringContaining('did not give at the log-in'),
    });
    expect(server.ran.filter(({ tool }) => tool === 'write')).toHaveLength(1);
  });

  it('offers a tool that asks for the log-in, where no tools are listed before', async () => {
    await start();
    server.listsToAll = false;
    const before = await turn('ann');
    expect(before.tools.map(({ name }) => name)).toEqual(['mcp__tracker__authorize']);
    expect(before.problems).toEqual([
      { server: 'tracker', reason: `it wants a log-in at ${server.issuer}` },
    ]);
    await expect(callMcp(before, 'mcp__tracker__authorize')).rejects.toEqual(asked(['read']));
    await logIn(parts, database.db, loginAt(server.url));
    const { name, description, inputSchema } = before.tools[0] ?? {
      name: '',
      description: '',
      inputSchema: {},
    };
    const after = await turn('ann', { listed: [{ name, description, inputSchema }] });
    expect(await callMcp(after, 'mcp__tracker__authorize')).toContain('whoami, write, echo');
    expect(after.tools.map((tool) => tool.name)).toContain('mcp__tracker__whoami');
  });

  it('keeps the tools that the session was shown, when the log-in has ended', async () => {
    await start();
    server.listsToAll = false;
    await logIn(parts, database.db, loginAt(server.url));
    const listed = (await turn('ann')).tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    }));
    const [row] = await parts.logins.list('ann');
    await parts.logins.end({ id: 'ann' }, row?.id ?? '');
    const after = await turn('ann', { listed });
    expect(after.tools.map(({ name, inputSchema }) => ({ name, inputSchema }))).toEqual(
      listed.map(({ name, inputSchema }) => ({ name, inputSchema })),
    );
    await expect(callMcp(after, 'mcp__tracker__whoami')).rejects.toEqual(asked(['read']));
    // Lists of a log-in are those of its person.
    expect((await turn('bob')).tools.map(({ name }) => name)).toEqual(['mcp__tracker__authorize']);
  });

  it('shows no token that a server repeats', async () => {
    await start();
    await logIn(parts, database.db, loginAt(server.url));
    expect(await callMcp(await turn('ann'), 'mcp__tracker__echo')).toBe(
      'token: [REDACTED_API_KEY]',
    );
  });

  it('sends no token where the definition has a credential of its own, and asks nobody', async () => {
    await start({ headers: { authorization: 'Bearer of-the-operator' } });
    server.listsToAll = false;
    await logIn(parts, database.db, loginAt(server.url));
    const one = await turn('ann');
    expect(one.tools).toEqual([]);
    expect(one.problems[0]?.reason).toContain('HTTP 401');
    expect(server.ran).toEqual([]);
  });

  it('says that a log-in is not possible where its authorization server is not the expected one', async () => {
    await start({ oauth: { expectedIssuer: 'https://right.example' } });
    const call = callMcp(await turn('ann'), 'mcp__tracker__whoami');
    await expect(call).rejects.toMatchObject({
      name: 'ToolFailure',
      message: expect.stringContaining('not the one that was expected'),
    });
  });

  it('logs the deployment in as itself, by its client credentials, and asks nobody', async () => {
    const oauth = {
      grant: 'client_credentials',
      clientId: 'deployment',
      clientSecret: 'secret-of-it',
      expectedIssuer: server.issuer,
    };
    await start({ oauth });
    server.listsToAll = false;
    for (const person of ['ann', 'bob']) {
      expect(await callMcp(await turn(person), 'mcp__tracker__whoami')).toBe('whoami ran');
    }
    const [first] = server.tokenRequests;
    expect(server.tokenRequests).toHaveLength(1);
    expect(first).toMatchObject({ grant_type: 'client_credentials', resource: server.url });
  });

  it('sends the secret of the deployment to no other authorization server', async () => {
    const oauth = {
      grant: 'client_credentials',
      clientId: 'deployment',
      clientSecret: 'secret-of-it',
      expectedIssuer: 'https://right.example',
    };
    await start({ oauth });
    const call = callMcp(await turn('ann'), 'mcp__tracker__whoami');
    await expect(call).rejects.toMatchObject({ name: 'ToolFailure' });
    expect(server.tokenRequests).toEqual([]);
  });
});
