import { beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { systemClock } from '../../src/platform/clock.js';
import { apiKeys, auditLog, grants, principalEpochs } from '../../src/storage/governance-schema.js';
import { useTokenIssuer } from '../support/access/token-issuer.js';
import { KeyedClient, makeKey } from '../support/clients/keyed-client.js';
import { expectSoon } from '../support/expect-soon.js';
import { useDeployment } from '../support/processes/start-deployment.js';

describe('kill -9 in the middle of an end of access', () => {
  const { issuer, environment } = useTokenIssuer();
  const { deployment, database } = useDeployment();
  const path = '/api/admin/principals/idp:ann/access';
  let admin: string;
  beforeAll(async () => {
    const { db } = database;
    const of = { db, clock: systemClock };
    ({ secret: admin } = await makeKey(of, { principal: 'root', scopes: ['turns', 'admin'] }));
  });

  /** What is left of ann's access. */
  const left = async (url: string, token: string) => {
    const { db } = database;
    return {
      token: (await new KeyedClient(url, token).send('GET', '/api/harness/usage')).status,
      grants: await db.$count(grants),
      epochs: await db.$count(principalEpochs),
      noted: await db.$count(auditLog, sql`action = 'principal.revoked'`),
      revokedKeys: await db.$count(apiKeys, sql`revoked_at is not null`),
    };
  };

  it('leaves all of it, and the next call ends all of it', async () => {
    const { db } = database;
    const dying = await deployment.start('api', environment);
    const token = await issuer.sign();
    const schedule = { cron: '0 0 1 1 *', tz: 'UTC', session: 'new', message: 'Hello' };
    const put = await new KeyedClient(dying.url, token).send(
      'PUT',
      '/api/harness/schedules/anns',
      schedule,
    );
    expect(put.status).toBe(200);
    const whole = { token: 200, grants: 1, epochs: 0, noted: 0, revokedKeys: 0 };
    expect(await left(dying.url, token)).toEqual(whole);

    // The epoch is raised by then, and the grants cannot be ended yet.
    await db.transaction(async (tx) => {
      await tx.execute(sql`lock table grants in share mode`);
      const asked = new KeyedClient(dying.url, admin).send('DELETE', path).catch(() => 'cut');
      await expectSoon(async () => {
        const { rows } = await db.execute(
          sql`select 1 from pg_locks where not granted and relation = 'grants'::regclass`,
        );
        expect(rows).toHaveLength(1);
      });
      await dying.kill('SIGKILL');
      expect(await asked).toBe('cut');
    });

    const next = await deployment.start('api', environment);
    expect(await left(next.url, token)).toEqual(whole);
    const ended = await new KeyedClient(next.url, admin).send('DELETE', path);
    expect(ended.body).toMatchObject({ principal: 'idp:ann', grants: [expect.any(String)] });
    const gone = { token: 401, grants: 0, epochs: 1, noted: 1, revokedKeys: 0 };
    expect(await left(next.url, token)).toEqual(gone);
  });
});
