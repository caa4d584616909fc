import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { systemClock } from '../../src/platform/clock.js';
import { auditLog, serverSecrets } from '../../src/storage/governance-schema.js';
import { pageOf } from '../support/access/page-token.js';
import { useTokenIssuer } from '../support/access/token-issuer.js';
import { KeyedClient, makeKey } from '../support/clients/keyed-client.js';
import { expectSoon } from '../support/expect-soon.js';
import { shareServices, useDeployment } from '../support/processes/start-deployment.js';
import type { ServerProcess } from '../support/processes/start-process.js';

describe('kill -9 of an API', () => {
  const { issuer, environment } = useTokenIssuer();
  const { deployment, database } = useDeployment(shareServices);
  let secret: string;
  beforeAll(async () => {
    const wanted = { principal: 'backend', scopes: ['turns', 'tokens'], mints: 'app:*' };
    ({ secret } = await makeKey({ db: database.db, clock: systemClock }, wanted));
  });
  /** Processes that a test has left alive, for the next one to kill. */
  let running: ServerProcess | undefined;
  let apis: [ServerProcess, ServerProcess] | undefined;
  const startApi = () => deployment.start('api', environment);
  const usage = async (client: KeyedClient) =>
    (await client.send('GET', '/api/harness/usage')).status;
  /** Does it while statements that change a table wait, and returns when one does. */
  const whileHeld = (table: string, act: () => Promise<void>) =>
    database.db.transaction(async (tx) => {
      await tx.execute(sql`lock table ${sql.identifier(table)} in share mode`);
      await act();
    });
  const waits = (table: string) =>
    expectSoon(async () => {
      const { rows } = await database.db.execute(
        sql`select 1 from pg_locks where not granted and relation = ${table}::regclass`,
      );
      expect(rows).toHaveLength(1);
    });

  it('that loads the keys of an issuer for the first time loses no turn, and the next one loads them', async () => {
    const ann = await issuer.sign();
    const dying = await startApi();
    const backend = new KeyedClient(dying.url, secret);
    await deployment.start('worker', environment);
    const made = await backend.send('POST', '/api/harness/session/create', {});
    const { sessionId } = made.body['session'] as { sessionId: string };
    const opts = { onDisconnect: 'continue' };
    const body = { sessionId, message: '[[tokens=100 gap=20]]', opts };
    const prefer = { prefer: 'respond-async' };
    const taken = await backend.send('POST', '/api/harness/turn', body, prefer);
    const { turnId } = taken.body['turn'] as { turnId: string };

    let letGo = (): void => undefined;
    issuer.held = new Promise<void>((resolve) => (letGo = resolve));
    const before = issuer.requests;
    const asked = usage(new KeyedClient(dying.url, ann)).catch(() => 'cut');
    await expectSoon(() => expect(issuer.requests).toBe(before + 1));
    await dying.kill('SIGKILL');
    expect(await asked).toBe('cut');
    letGo();

    running = await startApi();
    expect(await usage(new KeyedClient(running.url, ann))).toBe(200);
    const next = new KeyedClient(running.url, secret);
    const read = await next.send('GET', `/api/harness/turns/${turnId}/events`);
    expect([read.status, read.text.match(/^event: process:exit$/gm)]).toEqual([
      200,
      ['event: process:exit'],
    ]);
    expect(read.text.match(/^event: chat:complete$/gm)).toHaveLength(1);
  });

  it('that makes the secret of page tokens leaves none or one, and two that need it at once have one', async () => {
    const { db } = database;
    const dying = running ?? (await startApi());
    await whileHeld('server_secrets', async () => {
      const asked = pageOf(new KeyedClient(dying.url, secret)).catch(() => 'cut');
      await waits('server_secrets');
      await dying.kill('SIGKILL');
      expect(await asked).toBe('cut');
    });

    apis = await Promise.all([startApi(), startApi()]);
    const pages = await Promise.all(apis.map(({ url }) => pageOf(new KeyedClient(url, secret))));
    expect(await db.$count(serverSecrets)).toBe(1);
    for (const { url } of apis) {
      for (const { key } of pages) expect(await usage(new KeyedClient(url, key))).toBe(200);
    }
  });

  it('that mints a page token ends none that it made before', async () => {
    const { db } = database;
    const minted = () => db.$count(auditLog, sql`action = 'token.minted'`);
    const [dying, next] = apis ?? (await Promise.all([startApi(), startApi()]));
    const page = await pageOf(new KeyedClient(dying.url, secret), { principal: 'app:ann' });
    const before = await minted();
    await whileHeld('audit_log', async () => {
      const asked = pageOf(new KeyedClient(dying.url, secret)).catch(() => 'cut');
      await waits('audit_log');
      await dying.kill('SIGKILL');
      expect(await asked).toBe('cut');
    });
    expect(await usage(new KeyedClient(next.url, page.key))).toBe(200);
    // The database may have got the entry of the token that nobody received.
    expect(await minted()).toBeGreaterThanOrEqual(before);
    const other = await pageOf(new KeyedClient(next.url, secret), { principal: 'app:ann' });
    expect(await usage(other)).toBe(200);
    expect(await minted()).toBeGreaterThan(before);
  });
});
