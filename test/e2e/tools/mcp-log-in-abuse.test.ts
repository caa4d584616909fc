import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { apiKeys } from '../../../src/storage/governance-schema.js';
import { mcpBegunLogins, mcpLogins } from '../../../src/storage/mcp-schema.js';
import { pageOf } from '../../support/access/page-token.js';
import { instructionRootWith } from '../../support/agents/instruction-root.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { rawRequest, sendBytes } from '../../support/clients/send-bytes.js';
import { expectSoon } from '../../support/expect-soon.js';
import { visit } from '../../support/mcp/open-oauth.js';
import { startOAuthMcp, type OAuthMcp } from '../../support/mcp/start-oauth-mcp.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const base = '/api/harness';

describe('a log-in at an MCP server that somebody would have another one finish', () => {
  let tracker: OAuthMcp;
  const server = useServer(async () => {
    tracker = await startOAuthMcp();
    const file = path.join(newFolder(), 'mcp.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { tracker: { url: tracker.url } } }));
    const persona = ['mcp_servers: [tracker]', 'permissions: {allow: [mcp__tracker__*]}'];
    const root = instructionRootWith({ USER: persona });
    return { environment: { TURNPIKE_MCP_FILE: file, TURNPIKE_INSTRUCTION_ROOT: root } };
  });
  afterAll(() => tracker.close());
  beforeEach(() => server.db.delete(mcpBegunLogins));

  let gil: KeyedClient;
  let secret: string;
  beforeAll(async () => {
    const scopes = ['turns', 'approvals', 'tokens'];
    ({ secret } = await makeKey(server, { principal: 'gil', scopes }));
    gil = new KeyedClient(server.url, secret);
  });

  /** A call that waits for a log-in. @returns the approval. */
  async function askAsGil(): Promise<string> {
    const { body } = await gil.send('POST', `${base}/session/create`, { persona: 'USER' });
    const { sessionId } = body['session'] as { sessionId: string };
    const message = '[[tool=mcp__tracker__whoami {}]]';
    const opts = { onDisconnect: 'continue' };
    const turn = { sessionId, message, opts };
    await gil.send('POST', `${base}/turn`, turn, { prefer: 'respond-async' });
    const find = async () => (await gil.send('GET', `${base}/approvals`)).body['approvals'];
    await expectSoon(async () => expect(await find()).toHaveLength(1));
    const [{ approvalId }] = (await find()) as [{ approvalId: string }];
    return approvalId;
  }

  it('comes back to no place that a header names', async () => {
    const approvalId = await askAsGil();
    const wanted = [
      [`${base}/approvals/${approvalId}/authorize`, '{}'],
      [`${base}/mcp/logins`, '{"server":"tracker"}'],
    ] as const;
    const hosts = ['evil.example', 'localhost.evil.example:80', 'localhost.', '10.0.0.7:4400'];
    for (const host of hosts) {
      for (const [target, body] of wanted) {
        const lines = [
          `Authorization: Bearer ${secret}`,
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ];
        const request = rawRequest(lines, {
          target,
          method: 'POST',
          body,
          host: `Host: ${host}`,
        });
        const { statuses, text } = await sendBytes(server.url, request);
        expect([host, statuses]).toEqual([host, [400]]);
        expect(text).toContain('"reason":"NO_PUBLIC_URL"');
        expect(text).toContain('Set TURNPIKE_PUBLIC_URL');
        expect(text.toLowerCase()).not.toContain('set-cookie');
      }
      const document = rawRequest([], {
        target: '/oauth/mcp/client.json',
        host: `Host: ${host}`,
      });
      expect((await sendBytes(server.url, document)).statuses).toEqual([404]);
    }
    expect(await server.db.$count(mcpBegunLogins)).toBe(0);
    await gil.send('POST', `${base}/approvals/${approvalId}`, { decision: 'deny' });
  });

  it('is that of one client, at whatever port its programs listen, and at no other path', async () => {
    const before = tracker.registrations;
    for (let port = 5_001; port <= 5_030; port += 1) {
      const redirect = `http://${port % 2 === 0 ? 'localhost' : '127.0.0.1'}:${port}/callback`;
      const begun = await gil.send('POST', `${base}/mcp/logins`, { server: 'tracker', redirect });
      expect(begun.status).toBe(200);
    }
    expect(tracker.registrations - before).toBeLessThanOrEqual(1);
    // Some authorization servers compare by the letter: the command line tries this port first.
    expect(tracker.registered).toContain('http://127.0.0.1:4455/callback');
    // One more ends the oldest.
    expect(await server.db.$count(mcpBegunLogins)).toBe(20);
    for (const redirect of [
      'http://127.0.0.1:5001/p1',
      'http://127.0.0.1:5001/callback/x',
      'http://127.0.0.2/callback',
      'https://127.0.0.1:5001/callback',
      'http://a@127.0.0.1:5001/callback',
      'http://127.0.0.1:5001/callback?x=1',
    ]) {
      const begun = await gil.send('POST', `${base}/mcp/logins`, { server: 'tracker', redirect });
      expect([redirect, begun.status]).toEqual([redirect, 400]);
    }
  });

  it('is that of another client after an administrator had the registration forgotten', async () => {
    const admin = await makeKey(server, { principal: 'root', scopes: ['turns', 'admin'] });
    const root = new KeyedClient(server.url, admin.secret);
    const wanted = { server: 'tracker', redirect: 'http://127.0.0.1:5001/callback' };
    const begin = async () => {
      const { body } = await gil.send('POST', `${base}/mcp/logins`, wanted);
      return new URL(String(body['url'])).searchParams.get('client_id');
    };
    const before = await begin();
    const path = `/api/admin/mcp/clients?issuer=${encodeURIComponent(tracker.issuer)}`;
    expect((await gil.send('DELETE', path)).status).toBe(403);
    expect(await begin()).toBe(before);
    const forgotten = await root.send('DELETE', path);
    expect([forgotten.status, forgotten.body]).toEqual([
      200,
      { issuer: tracker.issuer, forgotten: expect.any(Number) },
    ]);
    expect(await begin()).not.toBe(before);
    const { body } = await root.send('GET', '/api/admin/audit');
    expect(body['entries']).toContainEqual(
      expect.objectContaining({ action: 'mcp-client.forgotten', subject: tracker.issuer }),
    );
  });

  it('that a page token began ends with the token, and with the key that made it', async () => {
    const approvalId = await askAsGil();
    const begin = async (by: KeyedClient) => {
      const page = await pageOf(by, { expiresIn: 60, principal: 'gil' });
      const asked = await page.send('POST', `${base}/approvals/${approvalId}/authorize`, {});
      expect([asked.status, asked.text]).toEqual([200, expect.anything()]);
      const [cookie = ''] = (asked.headers.get('set-cookie') ?? '').split(';');
      const leftMs = Date.parse(String(asked.body['expiresAt'])) - Date.now();
      expect(leftMs).toBeLessThanOrEqual(60_000);
      return { answer: await visit(String(asked.body['url'])), cookie };
    };
    const finish = ({ answer, cookie }: Awaited<ReturnType<typeof begin>>) =>
      fetch(`${server.url}/oauth/mcp/callback?${answer.toString()}`, {
        method: 'POST',
        headers: { cookie },
      });

    const refused = async (begun: Awaited<ReturnType<typeof begin>>) => {
      const answer = await finish(begun);
      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining('NOT_BEGUN'),
      ]);
    };

    const ended = await begin(gil);
    expect((await gil.send('DELETE', `${base}/tokens/gil`)).status).toBe(200);
    await refused(ended);
    const backend = await makeKey(server, {
      principal: 'gil',
      scopes: ['turns', 'approvals', 'tokens'],
    });
    const revoked = await begin(new KeyedClient(server.url, backend.secret));
    const gone = { revokedAt: new Date() };
    await server.db.update(apiKeys).set(gone).where(eq(apiKeys.id, backend.id));
    await refused(revoked);
    expect(await server.db.$count(mcpLogins)).toBe(0);
    expect((await finish(await begin(gil))).status).toBe(200);
    expect(await server.db.$count(mcpLogins)).toBe(1);
  });
});
