import { beforeEach, describe, expect, it } from '@jest/globals';
import { noProxies } from '../../platform/net/sender-address.js';
import { asc, eq } from 'drizzle-orm';
import { openAccess } from '../../../test/support/access/open-access.js';
import {
  everybody,
  startTokenIssuer,
  type TokenClaims,
} from '../../../test/support/access/token-issuer.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { expectSoon } from '../../../test/support/expect-soon.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { useShared } from '../../../test/support/suite.js';
import { apiKeys, auditLog, grants, principalEpochs } from '../../storage/governance-schema.js';
import { GRANT_MS } from './grants.js';
import type { Principal } from '../principal.js';
import type { Issuer } from '../tokens/auth-file.js';

const HOUR_MS = 3_600_000;
const staff = { ...everybody, group: 'staff', projectRoots: ['/srv/a'], agents: ['READER'] };
const limited = { ...everybody, group: 'limited', limits: { tokensPerDay: 10 } };

describe('the grant of a principal', () => {
  const database = useDatabase();
  let clock: ManualClock;
  const idp = useShared(() => startTokenIssuer(() => clock.now()));
  beforeEach(async () => {
    clock = new ManualClock(Date.now());
    for (const table of [grants, auditLog, apiKeys, principalEpochs]) {
      await database.db.delete(table);
    }
  });

  const open = (more: Partial<Issuer> = {}, at = clock) =>
    openAccess(
      { db: database.db, clock: at },
      {
        host: '127.0.0.1',
        allowKeyless: false,
        takesFirstKey: true,
        corsOrigins: [],
        trustedProxies: noProxies,
        defaultLimits: { requestsPerMinute: 60, concurrentTurns: 0, tokensPerDay: 0, usdPerDay: 0 },
      },
      [idp.entry({ roles: [staff, limited], ...more })],
    );
  type Access = ReturnType<typeof open>;

  const logIn = async ({ authenticator }: Access, claims: TokenClaims = {}): Promise<Principal> =>
    authenticator.authenticate({
      method: 'GET',
      url: '/agents',
      rawHeaders: ['Authorization', `Bearer ${await idp.sign({ groups: ['staff'], ...claims })}`],
      address: '127.0.0.1',
    });
  const grantOf = async ({ grants: of }: Access, { id, credential }: Principal) =>
    (await database.db.transaction((tx) => of.voucherOf(tx, id, credential))).grantId ?? '';
  const act = ({ authenticator }: Access, grantId: string) =>
    authenticator.principalOf({ keyId: null, grantId });
  const stored = () => database.db.select().from(grants);
  const actions = async () =>
    (await database.db.select().from(auditLog).orderBy(asc(auditLog.id))).map(
      ({ action }) => action,
    );

  it('acts with the rights that the groups have by the roles of the time', async () => {
    const access = open();
    const grantId = await grantOf(access, await logIn(access));
    expect(await act(access, grantId)).toMatchObject({
      id: 'idp:ann',
      credential: { kind: 'grant', id: grantId, issuer: 'idp' },
      projectRoots: ['/srv/a'],
      agents: ['READER'],
    });
    const less = open({ roles: [{ ...staff, projectRoots: [], agents: ['WRITER'] }] });
    expect(await act(less, grantId)).toMatchObject({ projectRoots: [], agents: ['WRITER'] });
  });

  it('ends with a token of its person in whose groups nobody has a role', async () => {
    const access = open();
    const grantId = await grantOf(access, await logIn(access));
    await grantOf(access, await logIn(access, { sub: 'bob' }));
    await expect(logIn(access, { groups: ['left'] })).rejects.toMatchObject({ status: 403 });
    await expectSoon(async () => expect(await stored()).toHaveLength(1));
    expect(await act(access, grantId)).toBe('over');
    expect(await actions()).toContain('grant.ended');
  });

  it.each<[string, Partial<Issuer>]>([
    ['the role of the groups is gone', { roles: [limited] }],
    ['the issuer is gone', { name: 'other' }],
    ['the role runs no turns any more', { roles: [{ ...staff, scopes: ['approvals'] }] }],
  ])('ends when %s', async (_what, more) => {
    const access = open();
    const grantId = await grantOf(access, await logIn(access));
    await clock.advance(1);
    expect(await act(open(more), grantId)).toBe('no-role');
    expect(await act(access, grantId)).toBe('over');
    expect(await actions()).toEqual(['grant.created', 'grant.ended']);
  });

  it('has the groups of the later of two log-ins of one second, whichever is stored last', async () => {
    const access = open();
    const { id, credential } = await logIn(access);
    await database.db.transaction((tx) => access.grants.voucherOf(tx, id, credential));
    if (credential.kind !== 'token') throw new Error('It is no token');
    const later = open({}, new ManualClock(clock.now() + 500));
    later.grants.noteToken(id, { ...credential, groups: ['limited'] });
    const groups = async () => (await stored()).map((grant) => grant.groups);
    await expectSoon(async () => expect(await groups()).toEqual([['limited']]));
    // Another process stores what it was shown half a second before.
    const slow = open();
    slow.grants.noteToken(id, credential);
    slow.grants.noteToken('idp:none', credential);
    await database.db.transaction((tx) => slow.grants.voucherOf(tx, 'idp:bob', credential));
    expect((await groups())[0]).toEqual(['limited']);
  });

  it('is not ended by a process that has not yet got the file of the API', async () => {
    const note = ({ audit, authenticator: { issuers } }: Access) =>
      audit.noteIssuers(issuers.issuerNames, issuers.digest);
    const current = open();
    await note(current);
    const grantId = await grantOf(current, await logIn(current));
    for (const old of [open({ roles: [limited] }), open({ name: 'other' })]) {
      await expect(act(old, grantId)).rejects.toThrow('Give every process the same file');
    }
    const withoutRole = open({ roles: [limited] });
    await expect(logIn(withoutRole)).rejects.toMatchObject({ status: 403 });
    expect(await act(current, grantId)).toMatchObject({ id: 'idp:ann' });
    await clock.advance(1);
    await note(withoutRole);
    expect(await act(withoutRole, grantId)).toBe('no-role');
  });

  it('is one for each principal', async () => {
    const access = open();
    const [ann, bob] = [await logIn(access), await logIn(access, { sub: 'bob' })];
    expect(await grantOf(access, ann)).toBe(await grantOf(access, ann));
    expect(await grantOf(access, bob)).not.toBe(await grantOf(access, ann));
    expect(await stored()).toHaveLength(2);
  });

  it('ends after 90 days without a token, and a later token gives no life to it', async () => {
    const access = open();
    const grantId = await grantOf(access, await logIn(access));
    await clock.advance(GRANT_MS);
    const late = open();
    const ann = await logIn(late);
    expect(await act(access, grantId)).toBe('over');
    const next = await grantOf(late, ann);
    expect(next).not.toBe(grantId);
    expect(await act(access, next)).toMatchObject({ id: 'idp:ann' });
    expect(await act(access, grantId)).toBe('over');
  });

  it('is renewed by a token, with its groups, once an hour', async () => {
    const access = open();
    const grantId = await grantOf(access, await logIn(access));
    const groups = ['staff', 'limited'];
    await clock.advance(HOUR_MS);
    await logIn(access, { groups });
    const renewedAt = new Date(clock.now());
    await expectSoon(async () => expect(await stored()).toMatchObject([{ groups, renewedAt }]));
    expect(await act(access, grantId)).toMatchObject({ limits: { tokensPerDay: 10 } });
    await clock.advance(HOUR_MS / 2);
    await logIn(access, { groups: ['staff'] });
    await clock.advance(HOUR_MS);
    await logIn(access, { groups: ['limited'] });
    await expectSoon(async () => expect(await stored()).toMatchObject([{ groups: ['limited'] }]));
    expect((await actions()).filter((action) => action === 'grant.renewed')).toHaveLength(2);
  });

  it('keeps the groups of the newest token when an older one comes after it', async () => {
    const access = open();
    const old = await logIn(access, { groups: ['staff', 'limited'] });
    await clock.advance(60_000);
    const grantId = await grantOf(access, await logIn(access));
    expect(await grantOf(access, old)).toBe(grantId);
    expect(await stored()).toMatchObject([{ groups: ['staff'] }]);
  });

  it('is not made for a token of before the end of access, though its request had begun', async () => {
    const access = open();
    const ann = await logIn(access);
    await access.ender.end('idp:ann', { id: 'root' });
    await expect(grantOf(access, ann)).rejects.toMatchObject({ details: { reason: 'ENDED' } });
    expect(await stored()).toEqual([]);
  });

  describe('with the end of access', () => {
    it('ends, as keys and tokens do, and newer tokens are taken', async () => {
      const [access, other] = [open(), open()];
      const grantId = await grantOf(access, await logIn(access));
      await logIn(other);
      expect(await access.ender.end('idp:ann', { id: 'root' })).toMatchObject({
        grants: [grantId],
      });
      expect(await act(other, grantId)).toBe('over');
      const ended = { type: 'UNAUTHENTICATED', details: { reason: 'ENDED', issuer: 'idp' } };
      await expect(logIn(access)).rejects.toMatchObject(ended);
      await clock.advance(1_000);
      await expect(logIn(other)).rejects.toMatchObject(ended);
      await expect(logIn(other, { iat: undefined })).rejects.toMatchObject(ended);
      await clock.advance(30_000);
      expect(await logIn(other)).toMatchObject({ id: 'idp:ann' });
      expect(await logIn(other, { sub: 'bob', iat: 1 })).toMatchObject({ id: 'idp:bob' });
    });

    it('is one transaction with all that it ends', async () => {
      const access = open();
      const grantId = await grantOf(access, await logIn(access));
      // As a process that dies before the last statement.
      await database.db.execute(
        `create function refuse() returns trigger language plpgsql as $$ begin
          raise exception 'stopped'; end $$`,
      );
      await database.db.execute(
        `create trigger refuse before insert on audit_log for each row
          when (new.action = 'principal.revoked') execute function refuse()`,
      );
      await expect(access.ender.end('idp:ann', { id: 'root' })).rejects.toThrow();
      await database.db.execute('drop function refuse cascade');
      expect(await act(access, grantId)).toMatchObject({ id: 'idp:ann' });
      expect(await logIn(open())).toMatchObject({ id: 'idp:ann' });
      await access.ender.end('idp:ann', { id: 'root' });
      expect(await act(access, grantId)).toBe('over');
      const noted = await database.db
        .select()
        .from(auditLog)
        .where(eq(auditLog.action, 'principal.revoked'));
      expect(noted).toMatchObject([
        { principalId: 'root', subject: 'idp:ann', details: { epoch: 1, grants: [grantId] } },
      ]);
    });
  });
});
