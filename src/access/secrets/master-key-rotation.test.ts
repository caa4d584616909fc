import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { newMasterKey, openMasterKeys } from '../../../test/support/access/master-keys.js';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { openSessions } from '../../../test/support/open-sessions.js';
import { someSecret, storeEndpoint } from '../../../test/support/webhooks/store-endpoint.js';
import { webhookEndpoints } from '../../storage/automation-schema.js';
import { auditLog, dataKeys } from '../../storage/governance-schema.js';
import { sessions } from '../../storage/schema.js';
import { AuditLog } from '../audit-log.js';
import { MasterKeyRotation } from './master-key-rotation.js';
import { SecretVault } from './secret-vault.js';

const [a, b] = [newMasterKey(), newMasterKey()];

describe.each(bothDatabases)('a rotation of the master key, on %s', (_name, open) => {
  const database = useDatabase(open);
  const clock = new ManualClock();
  const vaultOf = async (...keys: string[]) =>
    new SecretVault(database.db, clock, await openMasterKeys(...keys));
  const rotate = async (...keys: string[]) => {
    const audit = new AuditLog(database.db, clock);
    return new MasterKeyRotation(database.db, await vaultOf(...keys), audit).rotate({ id: 'root' });
  };
  const nameOf = async (key: string) => (await openMasterKeys(key)).current();
  const placeOf = (row: string) => ({ column: webhookEndpoints.secret, row, principalId: row });
  beforeEach(async () => {
    for (const table of [dataKeys, webhookEndpoints, sessions, auditLog]) {
      await database.db.delete(table);
    }
  });

  it('wraps every data key anew and changes no sealed value', async () => {
    // More than one of its statements reads.
    const principals = Array.from({ length: 205 }, (_, index) => `p${index}`);
    const vault = await vaultOf(a);
    const sealed = new Map<string, string>();
    for (const one of principals) sealed.set(one, await vault.seal(`of ${one}`, placeOf(one)));
    const masterKey = await nameOf(b);
    expect(await rotate(b, a)).toEqual({ masterKey, wrapped: 205, sealed: 0 });
    expect(await rotate(b, a)).toEqual({ masterKey, wrapped: 0, sealed: 0 });
    const alone = await vaultOf(b);
    for (const [one, text] of sealed)
      expect(await alone.open(text, placeOf(one))).toBe(`of ${one}`);
    expect(await database.db.select().from(auditLog)).toMatchObject([
      {
        principalId: 'root',
        action: 'master-key.rotated',
        subject: masterKey,
        details: { wrapped: 205 },
      },
      { details: { wrapped: 0, sealed: 0 } },
    ]);
  });

  it('seals what was stored in plain text', async () => {
    const { db } = database;
    const plain = openSessions(db, clock);
    const servers = { web: { url: 'https://x', headers: { Authorization: 'Bearer "ä\\u0001"' } } };
    const stored = { projectRoot: '/p', persona: 'P', mode: 'default', principalId: 'alice' };
    const { id } = await plain.create({ ...stored, mcpServers: servers });
    const empty = await plain.create(stored);
    const row = await storeEndpoint(db, { principalId: 'alice', previousSecret: 'whsec_older' });
    const unsealed = new SecretVault(db, clock, undefined);
    expect(await unsealed.findPlain()).toBe('webhook_endpoints.secret');
    expect(await rotate(a)).toMatchObject({ wrapped: 0, sealed: 3 });
    expect(await unsealed.findPlain()).toBeUndefined();
    const [endpoint] = await db.select().from(webhookEndpoints);
    const [session] = await db.select().from(sessions).where(eq(sessions.id, id));
    const [other] = await db.select().from(sessions).where(eq(sessions.id, empty.id));
    expect(JSON.stringify([endpoint, session])).not.toMatch(/whsec_|Bearer/);
    expect(other?.mcpServers).toBeNull();
    const vault = await vaultOf(a);
    const at = (
      column: typeof webhookEndpoints.secret | typeof webhookEndpoints.previousSecret,
    ) => ({
      column,
      row,
      principalId: 'alice',
    });
    expect(await vault.open(endpoint?.secret ?? '', at(webhookEndpoints.secret))).toBe(someSecret);
    expect(
      await vault.open(endpoint?.previousSecret ?? '', at(webhookEndpoints.previousSecret)),
    ).toBe('whsec_older');
    const ofSession = { column: sessions.mcpServers, row: id, principalId: 'alice' };
    expect(await vault.openObject(session?.mcpServers ?? {}, ofSession)).toEqual(servers);
    expect(await rotate(a)).toMatchObject({ wrapped: 0, sealed: 0 });
  });

  it('of two processes at once, also to different keys, leaves every data key whole', async () => {
    const vault = await vaultOf(a);
    const rows = Array.from({ length: 30 }, (_, index) => `p${index}`);
    const sealed: string[] = [];
    for (const one of rows) sealed.push(await vault.seal(one, placeOf(one)));
    await Promise.all([rotate(b, a), rotate(a, b), rotate(b, a)]);
    const both = await vaultOf(a, b);
    for (const [index, one] of rows.entries()) {
      expect(await both.open(sealed[index] ?? '', placeOf(one))).toBe(one);
    }
    await rotate(b, a);
    const { by } =
      (await database.db.selectDistinct({ by: dataKeys.wrappedBy }).from(dataKeys))[0] ?? {};
    expect(by).toBe(await nameOf(b));
  });

  it('needs master keys, all of those that wrap', async () => {
    const { db } = database;
    const without = new MasterKeyRotation(
      db,
      new SecretVault(db, clock, undefined),
      new AuditLog(db, clock),
    );
    await expect(without.rotate({ id: 'root' })).rejects.toMatchObject({ type: 'NO_MASTER_KEY' });
    await (await vaultOf(a)).seal('secret', placeOf('p'));
    await expect(rotate(b)).rejects.toMatchObject({ type: 'SECRET_UNREADABLE' });
    expect(await db.select().from(dataKeys)).toMatchObject([{ wrappedBy: await nameOf(a) }]);
  });
});
