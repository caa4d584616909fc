import { beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openKeys } from '../../../test/support/access/open-access.js';
import { apiKeys, auditLog } from '../../storage/governance-schema.js';
import { AuditLog } from '../audit-log.js';
import { KeyService } from './key-service.js';
import { hashKey } from './key-secret.js';
import { KeyStore } from './key-store.js';
import { ApiKeyCache } from './api-key-cache.js';
import { NewKeyDto } from './key.dto.js';
import { takeRequest } from '../../http/request.pipe.js';

describe('keys', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let store: KeyStore;
  let known: ApiKeyCache;
  /** A second process, without word of the first one's changes. */
  let elsewhere: KeyService;
  let here: KeyService;
  beforeEach(async () => {
    const { db } = database;
    await db.delete(apiKeys);
    await db.delete(auditLog);
    clock = new ManualClock();
    store = new KeyStore(db, clock);
    const audit = new AuditLog(db, clock);
    known = new ApiKeyCache(store, clock, silentLogger);
    elsewhere = openKeys({ db, clock }).keyService;
    here = new KeyService(db, clock, store, audit, known);
  });

  const make = async (more: object = {}) =>
    elsewhere.create(await takeRequest(NewKeyDto, { principal: 'a', ...more }), { id: 'test' });

  it('are stored as their hash', async () => {
    const { key, secret } = await make();
    const [row] = await database.db.select().from(apiKeys);
    expect(row).toMatchObject({ id: key.id, secretHash: hashKey(secret) });
    expect(JSON.stringify(row)).not.toContain(secret.slice(-43));
    expect(JSON.stringify(await elsewhere.list())).not.toContain(row?.secretHash);
  });

  it('are for all at first, and then for turns and approvals', async () => {
    const first = await make();
    expect(first.key.scopes).toEqual(['turns', 'approvals', 'admin', 'texts', 'metrics', 'tokens']);
    expect((await make()).key.scopes).toEqual(['turns', 'approvals']);
    expect((await make({ scopes: ['admin'] })).key.scopes).toEqual(['admin']);
  });

  it('are read once a second, and are gone a second after they were revoked elsewhere', async () => {
    const { key, secret } = await make();
    const hash = hashKey(secret);
    const found = await known.find(hash);
    expect(found?.id).toBe(key.id);
    expect(await known.find(hash)).toBe(found);
    await elsewhere.revoke(key.id, { id: 'test' });
    await clock.advance(999);
    expect((await known.find(hash))?.revokedAt).toBeNull();
    await clock.advance(1);
    expect((await known.find(hash))?.revokedAt).not.toBeNull();
  });

  it('are gone at once in the process that revokes them', async () => {
    const { key, secret } = await make();
    await known.find(hashKey(secret));
    await here.revoke(key.id, { id: 'test' });
    expect((await known.find(hashKey(secret)))?.revokedAt).not.toBeNull();
    expect(await known.census()).toEqual({ hasHadKeys: true, isKeyed: false, hasActive: false });
  });

  it('keep a server closed when they expire', async () => {
    expect(await known.census()).toEqual({ hasHadKeys: false, isKeyed: false, hasActive: false });
    await make({ expiresIn: '1m' });
    await clock.advance(60_000);
    expect(await known.census()).toEqual({ hasHadKeys: true, isKeyed: true, hasActive: false });
    const [view] = await elsewhere.list();
    expect(view?.status).toBe('expired');
  });

  it('say when they were last used, to the minute', async () => {
    const { secret } = await make();
    const usedAt = async () => (await store.list())[0]?.lastUsedAt?.getTime();
    const use = async () => {
      await known.find(hashKey(secret));
      // The background update is stored before the query that follows.
      return usedAt();
    };
    const begin = clock.now();
    expect(await use()).toBe(begin);
    await clock.advance(59_000);
    expect(await use()).toBe(begin);
    await clock.advance(1_000);
    expect(await use()).toBe(begin + 60_000);
  });

  it('are revoked once, and again without harm', async () => {
    const { key } = await make();
    const first = await elsewhere.revoke(key.id, { id: 'test' });
    await clock.advance(5_000);
    expect(await elsewhere.revoke(key.id, { id: 'test' })).toEqual(first);
    await expect(elsewhere.revoke('0000000000000000', { id: 'test' })).rejects.toMatchObject({
      type: 'KEY_NOT_FOUND',
      status: 404,
    });
    const actions = await database.db.select({ action: auditLog.action }).from(auditLog);
    expect(actions.map(({ action }) => action)).toEqual(['key.created', 'key.revoked']);
  });
});
