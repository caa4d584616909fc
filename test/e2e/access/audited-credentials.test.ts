import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import { auditLog } from '../../../src/storage/governance-schema.js';
import { askForWrite } from '../../support/access/approvers.js';
import { pageOf } from '../../support/access/page-token.js';
import { useTokenIssuer } from '../../support/access/token-issuer.js';
import { KeyedClient, keyedClient } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { tablesWith } from '../../support/find-text.js';
import { useServer } from '../../support/processes/start-server.js';
import { newFolder } from '../../support/suite.js';

const JTI = 'jti-of-ann-4711';
const folder = newFolder();

describe('what the audit log says about credentials', () => {
  const { issuer, environment } = useTokenIssuer([
    {
      group: 'staff',
      scopes: ['turns', 'approvals', 'admin'],
      approves: ['release'],
      project_roots: [folder],
    },
  ]);
  const server = useServer({
    environment: { ...environment, TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*' },
  });
  const entriesOf = (principal: string) =>
    server.db
      .select({ action: auditLog.action, details: auditLog.details })
      .from(auditLog)
      .where(eq(auditLog.principalId, principal))
      .orderBy(asc(auditLog.id));

  it('is the hash of a token’s jti in all that somebody does with it, and never the jti', async () => {
    const token = await issuer.sign({ sub: 'ann', groups: ['staff'], jti: JTI });
    const ann = new KeyedClient(server.url, token);
    const send = async (...request: Parameters<KeyedClient['send']>) => {
      const { status, body, text } = await ann.send(...request);
      if (status >= 300) throw new Error(`${request[0]} ${request[1]}: ${status} ${text}`);
      return body as Record<string, Record<string, string>>;
    };
    const rule = { by: ['release'] };
    const turn = await askForWrite(ann, { projectRoot: folder, file: 'own.txt', rule });
    const sessionPath = `/api/harness/session/${turn.sessionId}`;
    const asked = await findOwn(ann, turn.sessionId);
    await send('POST', `/api/harness/approvals/${asked.approvalId}`, { decision: 'approve' });
    await turn.ended;
    const turnPath = `/api/harness/turns/${asked.turnId}`;
    const forkPath = `/api/harness/sessions/${turn.sessionId}/fork`;
    await send('POST', forkPath, { turnId: asked.turnId, position: 'after' });
    await send('POST', `${turnPath}/interrupt`);
    await send('POST', `${turnPath}/replay`, {});
    await send('PUT', '/api/settings/models', { max_iterations: 5 });
    await send('POST', '/api/settings/models/reset', {});
    const file = '/api/harness/memory/WORKING_ITEMS/file?path=/memories/a.md';
    await send('PUT', file, { content: 'a' }, { 'If-None-Match': '*' });
    await send('DELETE', '/api/harness/memory/WORKING_ITEMS');
    const { webhook } = await send('POST', '/api/harness/webhooks', {
      url: 'http://127.0.0.1:9/hook',
    });
    await send('PATCH', `/api/harness/webhooks/${webhook?.['id']}`, { enabled: false });
    await send('POST', `/api/harness/webhooks/${webhook?.['id']}/rotate`, {});
    await send('DELETE', `/api/harness/webhooks/${webhook?.['id']}`);
    const when = { cron: '0 3 * * *', tz: 'UTC', session: 'new', projectRoot: folder };
    const schedulePath = '/api/harness/schedules/nightly';
    await send('PUT', schedulePath, { ...when, message: 'Go' });
    await send('PATCH', schedulePath, { message: 'Go on' });
    for (const action of ['pause', 'resume', 'trigger']) {
      await send('POST', `${schedulePath}/${action}`);
    }
    await send('DELETE', schedulePath);
    const made = await send('POST', '/api/admin/keys', { principal: 'robot', name: 'robot' });
    await send('DELETE', `/api/admin/keys/${made['key']?.['id']}`);
    await send('DELETE', '/api/admin/principals/robot/access');
    await send('DELETE', '/api/admin/principals/nobody');
    await send('GET', `/api/harness/sessions/${turn.sessionId}/export`);
    await send('DELETE', sessionPath);

    const noted = await entriesOf('idp:ann');
    const credential = {
      kind: 'token',
      issuer: 'idp',
      id: createHash('sha256').update(JTI).digest('hex'),
    };
    expect(noted.map(({ action, details }) => [action, details['credential']])).toEqual(
      noted.map(({ action }) => [action, credential]),
    );
    expect([...new Set(noted.map(({ action }) => action))].sort()).toEqual([
      'approval.answered',
      'grant.created',
      'grant.renewed',
      'key.created',
      'key.revoked',
      'memory.changed',
      'principal.forgotten',
      'principal.revoked',
      'schedule.changed',
      'schedule.created',
      'schedule.deleted',
      'schedule.paused',
      'schedule.resumed',
      'schedule.triggered',
      'session.created',
      'session.deleted',
      'sessions.exported',
      'settings.changed',
      'turn.interrupted',
      'webhook.changed',
      'webhook.created',
      'webhook.deleted',
      'webhook.rotated',
    ]);
    expect(await tablesWith(server.db, JTI)).toEqual([]);
    expect(server.logLines.join('')).not.toContain(JTI);
  });

  it('is the issuer alone of a token without a jti, the key of a key, and both of a page token', async () => {
    const bo = new KeyedClient(server.url, await issuer.sign({ sub: 'bo', groups: ['staff'] }));
    await bo.send('POST', '/api/harness/session/create', { projectRoot: folder });
    expect(await entriesOf('idp:bo')).toEqual([
      { action: 'session.created', details: { credential: { kind: 'token', issuer: 'idp' } } },
    ]);
    const backend = await keyedClient(server, { principal: 'app', scopes: ['turns', 'tokens'] });
    await backend.send('POST', '/api/harness/session/create', {});
    await (await pageOf(backend)).send('POST', '/api/harness/session/create', {});
    const [own, minted, ofPage] = await entriesOf('app');
    const key = (own?.details['credential'] ?? {}) as { id: string };
    expect(own).toMatchObject({
      action: 'session.created',
      details: { credential: { kind: 'key', id: expect.stringMatching(/./) } },
    });
    expect(minted).toMatchObject({ action: 'token.minted', details: { credential: key } });
    expect(ofPage).toMatchObject({
      action: 'session.created',
      details: {
        credential: { kind: 'page', id: key.id, tokenId: minted?.details['tokenId'] },
      },
    });
  });
});

/** Waits for what a session asks its own principal. */
async function findOwn(client: KeyedClient, sessionId: string) {
  let asked: { approvalId: string; turnId: string } | undefined;
  await expectSoon(async () => {
    const { body } = await client.send('GET', `/api/harness/approvals?sessionId=${sessionId}`);
    [asked] = body['approvals'] as [typeof asked];
    expect(asked).toBeDefined();
  });
  if (asked === undefined) throw new Error('Nothing is asked');
  return asked;
}
