import { beforeEach, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import {
  masterKeyFile,
  newMasterKey,
  openMasterKeys,
} from '../../../test/support/access/master-keys.js';
import { bothDatabases } from '../../../test/support/database/both-databases.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { webhookEndpoints } from '../../storage/automation-schema.js';
import { dataKeys } from '../../storage/governance-schema.js';
import { sessions } from '../../storage/schema.js';
import { openMasterKeyFile } from './master-key-file.js';
import type { SecretPlace } from './secret-columns.js';
import { SecretVault } from './secret-vault.js';

const [a, b] = [newMasterKey(), newMasterKey()];
const place: SecretPlace = {
  column: webhookEndpoints.secret,
  row: 'hook_1',
  principalId: 'alice',
};
const unreadable = (why: string) => ({
  type: 'SECRET_UNREADABLE',
  message: expect.stringContaining(why),
});

describe.each(bothDatabases)('the vault of secrets, on %s', (_name, open) => {
  const database = useDatabase(open);
  const clock = new ManualClock();
  const plain = () => new SecretVault(database.db, clock, undefined);
  const vaultOf = async (...keys: string[]) =>
    new SecretVault(database.db, clock, await openMasterKeys(...keys));
  beforeEach(async () => {
    await database.db.delete(dataKeys);
  });

  it('seals a value so that it opens at its place, in every process with the key', async () => {
    const vault = await vaultOf(a);
    const sealed = await vault.seal('whsec_ä€', place);
    expect(sealed).toMatch(/^sealed:1:[0-9a-f]{16}:[\w-]+$/);
    expect(sealed).not.toContain('whsec');
    for (const one of [vault, await vaultOf(a), await vaultOf(b, a)]) {
      expect(await one.open(sealed, place)).toBe('whsec_ä€');
    }
    expect(await vault.seal('whsec_ä€', place)).not.toBe(sealed);
  });

  it.each<[string, Partial<SecretPlace>]>([
    ['another row', { row: 'hook_2' }],
    ['another column', { column: webhookEndpoints.previousSecret }],
    ['another table', { column: sessions.mcpServers }],
    ['another principal', { principalId: 'bob' }],
  ])('opens no value that was moved to %s', async (_what, moved) => {
    const vault = await vaultOf(a);
    await vault.seal('for bob', { ...place, principalId: 'bob' });
    const sealed = await vault.seal('for alice', place);
    for (const one of [vault, await vaultOf(a)]) {
      await expect(one.open(sealed, { ...place, ...moved })).rejects.toMatchObject(unreadable(''));
    }
  });

  it('opens no value that was changed or cut short', async () => {
    const vault = await vaultOf(a);
    const sealed = await vault.seal('secret', place);
    const [end] = [sealed.at(-1) === 'A' ? 'B' : 'A'];
    for (const bad of [
      sealed.slice(0, -1),
      sealed.slice(0, -5) + end.repeat(5),
      'sealed:1:',
      'sealed:1:x',
    ]) {
      await expect(vault.open(bad, place)).rejects.toMatchObject({ type: 'SECRET_UNREADABLE' });
    }
  });

  it('opens no value of a data key that another one took the place of', async () => {
    const vault = await vaultOf(a);
    const sealed = await vault.seal('secret', place);
    await database.db.delete(dataKeys).where(eq(dataKeys.principalId, 'alice'));
    vault.forget('alice');
    await expect(vault.open(sealed, place)).rejects.toMatchObject(unreadable('was destroyed'));
    const anew = await vault.seal('another', place);
    expect(await vault.open(anew, place)).toBe('another');
    await expect(vault.open(sealed, place)).rejects.toMatchObject(unreadable('was destroyed'));
  });

  it('keeps a data key that was destroyed elsewhere for a minute at most', async () => {
    const vault = await vaultOf(a);
    const sealed = await vault.seal('secret', place);
    await database.db.delete(dataKeys);
    await clock.advance(60_000);
    await expect(vault.open(sealed, place)).rejects.toMatchObject(unreadable('was destroyed'));
  });

  it('seals nothing with a data key that was destroyed elsewhere', async () => {
    const [one, other] = [await vaultOf(a), await vaultOf(a)];
    await one.seal('secret', place);
    await database.db.delete(dataKeys);
    expect(await other.open(await one.seal('later', place), place)).toBe('later');
  });

  it('says what a process without the master key lacks', async () => {
    const sealed = await (await vaultOf(a)).seal('secret', place);
    const name = await (await openMasterKeys(a)).current();
    const lacks = `TURNPIKE_MASTER_KEY_FILE lacks its master key ${name}`;
    const wrong = await vaultOf(b);
    await expect(wrong.open(sealed, place)).rejects.toMatchObject(unreadable(lacks));
    await expect(wrong.seal('another', place)).rejects.toMatchObject(unreadable(lacks));
    const isUnset = unreadable('TURNPIKE_MASTER_KEY_FILE is not set here');
    await expect(plain().open(sealed, place)).rejects.toMatchObject(isUnset);
    await expect(wrong.checkMasterKeys()).rejects.toThrow(
      `The database has secrets under the master key ${name}, which TURNPIKE_MASTER_KEY_FILE lacks: add its line to the file again, after the others.`,
    );
    await expect(plain().checkMasterKeys()).rejects.toThrow(
      `The database has secrets under the master key ${name}, and TURNPIKE_MASTER_KEY_FILE is not set: set it to the file with that key.`,
    );
    await database.db.update(dataKeys).set({ wrapped: 'AAAA' });
    await expect((await vaultOf(a)).checkMasterKeys()).rejects.toThrow('is damaged');
  });

  it('takes a master key that its file has got meanwhile', async () => {
    const file = masterKeyFile([b]);
    const late = new SecretVault(database.db, clock, await openMasterKeyFile(file, silentLogger));
    const sealed = await (await vaultOf(a)).seal('secret', place);
    await expect(late.open(sealed, place)).rejects.toMatchObject(unreadable('lacks'));
    masterKeyFile([b, a], file);
    expect(await late.open(sealed, place)).toBe('secret');
  });

  it('leaves secrets as they are without master keys, and reads such in every process', async () => {
    expect(await plain().seal('whsec_1', place)).toBe('whsec_1');
    expect(await plain().sealObject({ s: { url: 'x' } }, place)).toEqual({ s: { url: 'x' } });
    await plain().checkMasterKeys();
    const vault = await vaultOf(a);
    expect(await vault.open('whsec_1', place)).toBe('whsec_1');
    expect(await vault.openObject({ sealed: { url: 'x' } }, place)).toEqual({
      sealed: { url: 'x' },
    });
  });

  it('seals an object as one value', async () => {
    const vault = await vaultOf(a);
    const servers = { sealed: { url: 'https://x', headers: { Authorization: 'Bearer ä' } } };
    const sealed = await vault.sealObject(servers, place);
    expect(sealed).toEqual({ sealed: expect.stringMatching(/^sealed:1:/) });
    expect(await vault.openObject(sealed, place)).toEqual(servers);
  });

  it('makes one data key where many ask at once', async () => {
    const vaults = await Promise.all(Array.from({ length: 6 }, () => vaultOf(a)));
    const sealed = await Promise.all(vaults.map((vault) => vault.seal('secret', place)));
    expect(await database.db.$count(dataKeys)).toBe(1);
    for (const one of sealed) expect(await vaults[0]?.open(one, place)).toBe('secret');
  });

  it('makes a data key that goes with its transaction', async () => {
    const vault = await vaultOf(a);
    const broken = database.db.transaction(async (tx) => {
      await vault.seal('secret', place, tx);
      throw new Error('broken off');
    });
    await expect(broken).rejects.toThrow('broken off');
    expect(await database.db.$count(dataKeys)).toBe(0);
    const sealed = await vault.seal('secret', place);
    expect(await (await vaultOf(a)).open(sealed, place)).toBe('secret');
  });
});
