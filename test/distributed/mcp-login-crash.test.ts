import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { approvals } from '../../src/storage/governance-schema.js';
import { mcpLogins } from '../../src/storage/mcp-schema.js';
import { turns } from '../../src/storage/schema.js';
import { toolCalls } from '../../src/storage/transcript-schema.js';
import { systemClock } from '../../src/platform/clock.js';
import { instructionRootWith } from '../support/agents/instruction-root.js';
import { KeyedClient, makeKey } from '../support/clients/keyed-client.js';
import { untilWriteWaits } from '../support/database/until-write-waits.js';
import { expectSoon } from '../support/expect-soon.js';
import { visit } from '../support/mcp/open-oauth.js';
import { startOAuthMcp, type OAuthMcp } from '../support/mcp/start-oauth-mcp.js';
import { shareServices, useDeployment } from '../support/processes/start-deployment.js';
import { newFolder } from '../support/suite.js';

const base = '/api/harness';

describe('kill -9 between the steps of a log-in at an MCP server', () => {
  const { deployment, database } = useDeployment(shareServices);
  let tracker: OAuthMcp;
  let secret: string;
  let environment: Record<string, string>;
  beforeAll(async () => {
    tracker = await startOAuthMcp();
    const file = path.join(newFolder(), 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { tracker: { url: tracker.url } } }));
    environment = {
      TURNPIKE_PROJECT_ROOT: deployment.projectRoot,
      TURNPIKE_MCP_FILE: file,
      TURNPIKE_INSTRUCTION_ROOT: instructionRootWith({
        USER: ['mcp_servers: [tracker]', 'permissions: {allow: [mcp__tracker__*]}'],
      }),
    };
    const wanted = { principal: 'ann', scopes: ['turns', 'approvals'] };
    ({ secret } = await makeKey({ db: database.db, clock: systemClock }, wanted));
  });
  afterAll(() => tracker.close());

  it('loses nothing: each step goes on in other processes, and the call runs once', async () => {
    const { db } = database;
    const of = (url: string) => new KeyedClient(url, secret);
    const start = (role: 'api' | 'worker') => deployment.start(role, environment);
    /** Runs a request whose statement on a table waits, and kills its process there. */
    const killAt = async (
      table: string,
      url: string,
      run: () => Promise<unknown>,
      kill: () => Promise<unknown>,
    ) => {
      await db.transaction(async (tx) => {
        await tx.execute(sql`lock table ${sql.identifier(table)} in share mode`);
        const cut = run().catch(() => 'cut');
        await untilWriteWaits(db, table);
        await kill();
        expect([url, await cut]).toEqual([url, 'cut']);
      });
    };

    // 401: the worker dies before its question is stored.
    const first = await start('api');
    const made = await of(first.url).send('POST', `${base}/session/create`, {
      projectRoot: deployment.projectRoot,
      persona: 'USER',
    });
    const { sessionId } = made.body['session'] as { sessionId: string };
    const message = '[[tool=mcp__tracker__whoami {}]]';
    const opts = { onDisconnect: 'continue' };
    const turn = of(first.url)
      .send('POST', `${base}/turn`, { sessionId, message, opts })
      .catch(() => 'cut');
    const dying = await start('worker');
    await db.transaction(async (tx) => {
      await tx.execute(sql`lock table approvals in share mode`);
      await untilWriteWaits(db, 'approvals');
      await dying.kill('SIGKILL');
    });

    // The question is stored by another one, which dies while it waits.
    const asking = await start('worker');
    await expectSoon(async () => expect(await db.$count(approvals)).toBe(1));
    await expectSoon(async () => {
      expect(await db.select({ status: turns.status }).from(turns)).toEqual([
        { status: 'waiting' },
      ]);
    });
    await asking.kill('SIGKILL');
    const [asked] = await db.select().from(approvals);
    const approvalId = asked?.id ?? '';
    expect(asked).toMatchObject({ kind: 'mcp-authorize', decision: null });

    // In the request for the link: nobody has the link of a row that may be stored. The turn's stream breaks off.
    const authorize = (url: string) =>
      of(url).send('POST', `${base}/approvals/${approvalId}/authorize`, {
        redirect: 'http://127.0.0.1:4455/callback',
      });
    await killAt(
      'mcp_begun_logins',
      first.url,
      () => authorize(first.url),
      () => first.kill('SIGKILL'),
    );
    expect(await turn).toBe('cut');

    // With the link in the browser, while the person logs in.
    const linked = await start('api');
    const begun = await authorize(linked.url);
    expect([begun.status, begun.text]).toEqual([200, expect.anything()]);
    await linked.kill('SIGKILL');
    const answer = await visit(String(begun.body['url']));

    // In the callback, with the tokens stored and the answer not: neither is.
    const bringing = await start('api');
    const bring = (url: string, query: URLSearchParams) =>
      of(url).send('POST', `${base}/mcp/logins/callback`, { query: query.toString() });
    await killAt(
      'audit_log',
      bringing.url,
      () => bring(bringing.url, answer),
      () => bringing.kill('SIGKILL'),
    );
    expect([
      await db.$count(mcpLogins),
      await db.$count(approvals, eq(approvals.decision, 'approve')),
    ]).toEqual([0, 0]);

    // The answer was used; the question is still open, and its person logs in again.
    const last = await start('api');
    expect(await bring(last.url, answer)).toMatchObject({
      status: 400,
      body: { error: { details: { reason: 'NOT_BEGUN' } } },
    });
    const again = await authorize(last.url);
    const done = await bring(last.url, await visit(String(again.body['url'])));
    expect(done).toMatchObject({ status: 200, body: { approvalIds: [approvalId] } });
    // Tokens and answer are stored, and no worker has the turn yet.
    await last.kill('SIGKILL');
    expect(tracker.ran).toEqual([]);

    await start('worker');
    await expectSoon(async () => {
      expect(await db.select({ status: turns.status }).from(turns)).toEqual([
        { status: 'completed' },
      ]);
    });
    expect(tracker.ran).toMatchObject([{ tool: 'whoami' }]);
    const calls = await db.select().from(toolCalls);
    expect(calls).toMatchObject([{ name: 'mcp__tracker__whoami', status: 'success' }]);
  });
});
