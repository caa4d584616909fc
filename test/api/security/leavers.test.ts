import { beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { READERS_LOOK_MS } from '../../../src/access/people/ended-readers.js';
import type { Clock } from '../../../src/platform/clock.js';
import { schedules } from '../../../src/storage/automation-schema.js';
import { auditLog, grants } from '../../../src/storage/governance-schema.js';
import { turns } from '../../../src/storage/schema.js';
import { useTokenIssuer, type TokenClaims } from '../../support/access/token-issuer.js';
import { KeyedClient, makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { HeldWaits } from '../../support/held-waits.js';
import { runTurnpike } from '../../support/processes/run-turnpike.js';
import { startServer, useServer } from '../../support/processes/start-server.js';
import { minutesAgo, ScheduleScene } from '../../support/schedules/schedule-scene.js';
import { newFolder, useShared } from '../../support/suite.js';
import { startReceiver } from '../../support/webhooks/start-receiver.js';

/** What a process may know of the end of access late, in ms. */
const LATE_MS = 1_000;
const own = newFolder();

describe('schedules of people with tokens', () => {
  const { issuer, environment } = useTokenIssuer([
    { group: 'staff', agents: ['WORKING_ITEMS'], project_roots: [own] },
    { group: 'admins', scopes: ['turns', 'admin'] },
  ]);
  const receiver = useShared(startReceiver);
  const variables = { ...environment, TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*' };
  let ahead = 0;
  const looks = new HeldWaits(READERS_LOOK_MS);
  const clock: Clock = {
    now: () => looks.now() + ahead,
    after: (ms, callback) => looks.after(ms, callback),
  };
  const server = useServer({ environment: variables, clock });
  const other = useShared(() =>
    startServer({ environment: variables, store: server.store, clock }),
  );
  let admin: KeyedClient;
  const tokenOf = (claims: TokenClaims) => issuer.sign({ groups: ['staff'], ...claims });
  /** A token of somebody whose access was ended, by the latest time that is taken: the next second is late enough. */
  const laterTokenOf = async (sub: string): Promise<string> => {
    ahead += 1_000;
    const token = await tokenOf({ sub, iat: Math.floor(clock.now() / 1_000) + 30 });
    const used = await new KeyedClient(server.url, token).send('GET', '/api/harness/usage');
    expect(used.status).toBe(200);
    return token;
  };
  beforeAll(async () => {
    admin = new KeyedClient(server.url, await tokenOf({ sub: 'root', groups: ['admins'] }));
  });
  const end = (principal: string) =>
    admin.send('DELETE', `/api/admin/principals/${encodeURIComponent(principal)}/access`);

  it('act by a grant, with the rights of the role', async () => {
    const scene = new ScheduleScene(server, await tokenOf({ sub: 'amy' }));
    await scene.put('amys', { projectRoot: own });
    const [row] = await server.db.select().from(schedules).where(eq(schedules.key, 'amys'));
    expect(row).toMatchObject({ keyId: null, grantId: expect.stringMatching(/^grant_/) });
    await scene.comes('amys');
    const run = await scene.ended('amys', 'completed');
    const [turn] = await server.db
      .select()
      .from(turns)
      .where(eq(turns.id, run.turnId ?? ''));
    expect(turn).toMatchObject({ principalId: 'idp:amy', projectRoots: [own] });
  });

  it('pause for the grant, with a webhook, and go on when their person resumes them', async () => {
    const token = await tokenOf({ sub: 'cleo' });
    const scene = new ScheduleScene(server, token);
    const events = ['schedule.paused'];
    await new KeyedClient(server.url, token).send('POST', '/api/harness/webhooks', {
      url: receiver.url,
      events,
    });
    await scene.put('cleos');
    await server.db
      .update(grants)
      .set({ expiresAt: new Date() })
      .where(eq(grants.principalId, 'idp:cleo'));
    await scene.comes('cleos', minutesAgo(1));
    await expectSoon(async () =>
      expect(await scene.get('cleos')).toMatchObject({ pauseReason: 'grant', nextAt: null }),
    );
    expect(await scene.runs('cleos')).toMatchObject([
      { outcome: 'refused', error: { type: 'UNAUTHENTICATED' } },
    ]);
    await expectSoon(async () => {
      // Who sends webhooks looks for them as often.
      await looks.end();
      expect(receiver.received.map(({ body }) => body.data['reason'])).toEqual(['grant']);
    });
    const paused = await server.db
      .select()
      .from(auditLog)
      .where(eq(auditLog.action, 'schedule.paused'));
    expect(paused).toMatchObject([
      { principalId: 'server', details: { principal: 'idp:cleo', key: 'cleos', reason: 'grant' } },
    ]);
    expect((await scene.call('POST', '/cleos/resume')).status).toBe(200);
    await scene.comes('cleos');
    const refused = { outcome: 'refused', error: { type: 'UNAUTHENTICATED' } };
    await expectSoon(async () =>
      expect(await scene.runs('cleos')).toMatchObject([{ turnStatus: 'completed' }, refused]),
    );
  });

  it('and all else of a leaver are refused within a second, at every process', async () => {
    const token = await tokenOf({ sub: 'dan' });
    const scene = new ScheduleScene(server, token);
    await scene.put('dans');
    const { secret, id: keyId } = await makeKey(server, { principal: 'dan' });
    const streams = await Promise.all(
      [server, other].map(async ({ url }) => {
        const client = new KeyedClient(url, token);
        const made = await client.send('POST', '/api/harness/session/create', {});
        const { sessionId } = made.body['session'] as { sessionId: string };
        return fetch(`${url}/api/harness/turn`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
          body: JSON.stringify({
            sessionId,
            message: '[[tokens=100000 gap=20]]',
            opts: { onDisconnect: 'continue' },
          }),
        });
      }),
    );
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const reads = streams.map((stream) => stream.text());
    const known = new KeyedClient(other.url, token);
    expect((await known.send('GET', '/api/harness/usage')).status).toBe(200);

    const [grant] = await server.db.select().from(grants).where(eq(grants.principalId, 'idp:dan'));
    const ended = await end('idp:dan');
    expect([ended.status, ended.body]).toEqual([
      200,
      {
        principal: 'idp:dan',
        endedAt: expect.any(String),
        keys: [],
        logins: 0,
        mcpLogins: 0,
        grants: [grant?.id],
        streams: 1,
      },
    ]);
    expect((await end('dan')).body).toMatchObject({ keys: [keyId], grants: [] });
    const last = 'event: session:reauthenticate\ndata: {"reason":"ended"}\n\n';
    // The other process looks for what was ended elsewhere.
    await looks.end();
    for (const text of await Promise.all(reads)) expect(text.slice(-last.length)).toBe(last);
    ahead += LATE_MS;
    for (const url of [server.url, other.url]) {
      for (const [credential, reason] of [
        [token, 'ENDED'],
        [secret, 'REVOKED'],
      ] as const) {
        const refused = await new KeyedClient(url, credential).send('GET', '/api/harness/usage');
        expect([refused.status, refused.body['error']]).toEqual([
          401,
          expect.objectContaining({ details: expect.objectContaining({ reason }) }),
        ]);
      }
    }
    // A person who is back sees why the schedule has stopped.
    const back = await laterTokenOf('dan');
    const later = new ScheduleScene(server, back);
    await later.comes('dans');
    await expectSoon(async () =>
      expect(await later.get('dans')).toMatchObject({ pauseReason: 'grant' }),
    );
    expect(await server.db.$count(grants, eq(grants.principalId, 'idp:dan'))).toBe(0);
  });

  it('is ended on the command line', async () => {
    const gus = new KeyedClient(server.url, await tokenOf({ sub: 'gus' }));
    expect((await gus.send('GET', '/api/harness/usage')).status).toBe(200);
    const { code, stdout } = await runTurnpike(['access', 'end', 'idp:gus'], {
      environment: { TURNPIKE_URL: server.url, TURNPIKE_API_KEY: admin.key ?? '' },
    });
    const said =
      'Revoked: 0 keys. Ended: 0 grants, 0 log-ins, 0 log-ins at MCP servers, 0 streams.';
    expect([code, stdout]).toEqual([0, expect.stringContaining(said)]);
    expect((await gus.send('GET', '/api/harness/usage')).status).toBe(401);
  });

  it('lets nobody end access without the scope admin, and takes no name that cannot be', async () => {
    const ann = new KeyedClient(server.url, await tokenOf({ sub: 'ann' }));
    const path = '/api/admin/principals/idp:root/access';
    expect((await ann.send('DELETE', path)).status).toBe(403);
    expect((await end('a b')).status).toBe(400);
    expect((await end('nobody')).body).toMatchObject({ keys: [], grants: [], streams: 0 });
  });

  it('are forgotten with their person, who comes back as a new one by a later log-in alone', async () => {
    const token = await tokenOf({ sub: 'eve' });
    await new ScheduleScene(server, token).put('eves');
    const [grant] = await server.db.select().from(grants).where(eq(grants.principalId, 'idp:eve'));
    expect(grant).toBeDefined();
    const forgotten = await admin.send('DELETE', '/api/admin/principals/idp:eve');
    expect([forgotten.status, forgotten.body['schedules']]).toEqual([200, 1]);
    const refused = await new KeyedClient(server.url, token).send('GET', '/api/harness/usage');
    expect([refused.status, refused.body['error']]).toEqual([
      401,
      expect.objectContaining({ details: expect.objectContaining({ reason: 'ENDED' }) }),
    ]);
    const later = await laterTokenOf('eve');
    const back = await new KeyedClient(server.url, later).send('GET', '/api/harness/sessions');
    expect([back.status, back.body['sessions']]).toEqual([200, []]);

    await new ScheduleScene(server, await tokenOf({ sub: 'finn' })).put('finns');
    await admin.send('DELETE', '/api/admin/principals/idp:finn');
    expect(await server.db.$count(grants, eq(grants.principalId, 'idp:finn'))).toBe(0);
  });
});
