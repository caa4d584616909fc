import { beforeEach, describe, expect, it } from '@jest/globals';
import { noProxies } from '../platform/net/sender-address.js';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { openAccess } from '../../test/support/access/open-access.js';
import { apiKeys, auditLog } from '../storage/governance-schema.js';
import { startTokenIssuer } from '../../test/support/access/token-issuer.js';
import { newSecret } from './keys/key-secret.js';
import { NewPageTokenDto } from './pages/page-token.dto.js';
import type { AccessRules } from './origin/check-origin.js';
import { NewKeyDto } from './keys/key.dto.js';
import { takeRequest } from '../http/request.pipe.js';

const limits = { requestsPerMinute: 60, concurrentTurns: 0, tokensPerDay: 0, usdPerDay: 0 };
const rules: AccessRules = {
  host: '127.0.0.1',
  allowKeyless: false,
  takesFirstKey: true,
  corsOrigins: [],
  trustedProxies: noProxies,
  defaultLimits: limits,
};

const head = (...rawHeaders: string[]) => ({
  method: 'POST',
  url: '/agents',
  rawHeaders: ['Host', '127.0.0.1:4400', ...rawHeaders],
  address: '127.0.0.1',
});
const withKey = (key: string) => head('Authorization', `Bearer ${key}`);
const refusal = (reason: string) => ({ type: 'UNAUTHENTICATED', details: { reason } });

describe('Authenticator', () => {
  const database = useDatabase();

  let clock: ManualClock;
  beforeEach(async () => {
    await database.db.delete(apiKeys);
    await database.db.delete(auditLog);
    clock = new ManualClock();
  });
  const open = (more: Partial<AccessRules> = {}) =>
    openAccess({ db: database.db, clock }, { ...rules, ...more });

  it('takes its own machine for the local user while there are no keys', async () => {
    const { authenticator } = open();
    const local = { id: 'local', credential: { kind: 'none' }, limits };
    expect(await authenticator.authenticate(head())).toMatchObject(local);
    // Credentials of a client that was made for another server.
    expect(await authenticator.authenticate(withKey('sk-ant-1'))).toMatchObject(local);
    await expect(authenticator.authenticate(head('Origin', 'https://a.example'))).rejects.toThrow(
      'Origin',
    );
  });

  it.each<[string[], string]>([
    [['Origin', 'http://localhost:3000', 'Content-Type', 'application/json'], 'Origin'],
    [['Sec-Fetch-Site', 'same-site', 'Content-Type', 'application/json'], 'Sec-Fetch-Site'],
    [['Sec-Fetch-Site', 'none', 'Content-Length', '2'], 'application/json'],
    [['Sec-Fetch-Site', 'none', 'Transfer-Encoding', 'chunked'], 'application/json'],
  ])('does not take a browser’s page for its own machine: %j', async (rawHeaders, named) => {
    const { authenticator, keyService } = open();
    await expect(authenticator.authenticate(head(...rawHeaders))).rejects.toThrow(named);
    const { secret } = await keyService.create(await takeRequest(NewKeyDto, { principal: 'a' }), {
      id: 'test',
    });
    const withAKey = head(...rawHeaders, 'Authorization', `Bearer ${secret}`);
    expect(await authenticator.authenticate(withAKey)).toMatchObject({ id: 'a' });
  });

  it('refuses a key of ours that it does not know, also while there are none', async () => {
    const { authenticator } = open();
    const asked = authenticator.authenticate(withKey(newSecret().text));
    await expect(asked).rejects.toMatchObject(refusal('UNKNOWN'));
  });

  it('takes the key’s principal, with its scopes and limits', async () => {
    const { authenticator, keyService } = open();
    const projectRoots = ['/srv/a'];
    const limited = { concurrentTurns: 2 };
    const wanted = { principal: 'a', scopes: ['turns'], limits: limited, projectRoots };
    const { key, secret } = await keyService.create(await takeRequest(NewKeyDto, wanted), {
      id: 'test',
    });
    expect(await authenticator.authenticate(withKey(secret))).toEqual({
      id: 'a',
      credential: { kind: 'key', id: key.id },
      scopes: ['turns'],
      approves: [],
      projectRoots,
      limits: { ...limits, concurrentTurns: 2 },
    });
    await expect(authenticator.authenticate(head())).rejects.toMatchObject(refusal('MISSING'));
    const other = authenticator.authenticate(withKey('sk-ant-1'));
    await expect(other).rejects.toMatchObject(refusal('UNKNOWN'));
  });

  it('takes no page token of before its principal was somebody whom an issuer knows', async () => {
    const before = open();
    const wanted = { principal: 'backend', scopes: ['turns', 'tokens'], mints: 'app:*' };
    const { secret } = await before.keyService.create(await takeRequest(NewKeyDto, wanted), {
      id: 'test',
    });
    const asked = await takeRequest(NewPageTokenDto, { principal: 'app:ann' });
    const backend = await before.authenticator.authenticate(withKey(secret));
    const { token } = await before.pages.mint(asked, backend, async () => undefined);
    expect(await before.authenticator.authenticate(withKey(token))).toMatchObject({
      id: 'app:ann',
    });
    const idp = await startTokenIssuer(() => clock.now());
    const { authenticator } = openAccess({ db: database.db, clock }, rules, [
      idp.entry({ name: 'app' }),
    ]);
    const used = authenticator.authenticate(withKey(token));
    await expect(used).rejects.toMatchObject(refusal('ENDED'));
    await idp.close();
  });

  it('opens to its own machine again with the last key, and to no other machine', async () => {
    const here = open();
    const everywhere = open({ host: '0.0.0.0' });
    const { key, secret } = await here.keyService.create(
      await takeRequest(NewKeyDto, { principal: 'a' }),
      { id: 'test' },
    );
    await here.keyService.revoke(key.id, { id: 'test' });
    expect(await here.authenticator.authenticate(head())).toMatchObject({ id: 'local' });
    const revoked = here.authenticator.authenticate(withKey(secret));
    await expect(revoked).rejects.toMatchObject(refusal('REVOKED'));
    const asked = everywhere.authenticator.authenticate(head());
    await expect(asked).rejects.toMatchObject(refusal('MISSING'));
  });

  it('ends the reading of a stream with its key, when that is revoked or expires', async () => {
    const { authenticator, keyService } = open();
    const accessOf = async (more: object = {}) => {
      const wanted = await takeRequest(NewKeyDto, { principal: 'a', ...more });
      const { key, secret } = await keyService.create(wanted, { id: 'test' });
      const caller = await authenticator.authenticate(withKey(secret));
      return { id: key.id, access: authenticator.accessOf(caller, withKey(secret)) };
    };
    const [revoked, expired, good] = [
      await accessOf(),
      await accessOf({ expiresIn: '1h' }),
      await accessOf(),
    ];
    const ended = () =>
      Promise.all([revoked, expired, good].map(async ({ access }) => access?.hasEnded()));
    expect(await ended()).toEqual([false, false, false]);
    await keyService.revoke(revoked.id, { id: 'test' });
    await clock.advance(2_000);
    expect(await ended()).toEqual([true, false, false]);
    await clock.advance(3_600_000);
    expect(await ended()).toEqual([true, true, false]);
  });

  it('stays closed when its last key expires', async () => {
    const { authenticator, keyService } = open();
    const wanted = await takeRequest(NewKeyDto, { principal: 'a', expiresIn: '1m' });
    const { secret } = await keyService.create(wanted, { id: 'test' });
    await clock.advance(60_000);
    await expect(authenticator.authenticate(head())).rejects.toMatchObject(refusal('MISSING'));
    const expired = authenticator.authenticate(withKey(secret));
    await expect(expired).rejects.toMatchObject(refusal('EXPIRED'));
    const [noted] = await database.db.select().from(auditLog).orderBy(auditLog.at).offset(1);
    expect(noted).toMatchObject({ action: 'authentication.refused', subject: '127.0.0.1' });
    expect(JSON.stringify(noted)).not.toContain(secret);
  });

  it.each<[boolean, string, object, Partial<AccessRules>]>([
    [true, 'from its own machine', {}, {}],
    [false, 'from another one', { address: '10.0.0.7' }, {}],
    [false, 'through a proxy', { rawHeaders: ['X-Forwarded-For', '127.0.0.1'] }, {}],
    [false, 'through a proxy', { rawHeaders: ['Via', '1.1 gateway'] }, {}],
    [false, 'of several processes', {}, { takesFirstKey: false }],
  ])('answers %j to a first key %s', (expected, _where, more, rules) => {
    const { authenticator } = open(rules);
    expect(authenticator.mayMakeFirstKey({ ...head(), ...more })).toBe(expected);
  });
});
