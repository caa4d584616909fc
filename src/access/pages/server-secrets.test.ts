import { beforeEach, describe, expect, it } from '@jest/globals';
import { masterKeyFile, newMasterKey } from '../../../test/support/access/master-keys.js';
import { openServerDatabase } from '../../../test/support/database/both-databases.js';
import { useDatabase } from '../../../test/support/database/database.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { systemClock } from '../../platform/clock.js';
import { auditLog, dataKeys, serverSecrets } from '../../storage/governance-schema.js';
import { AuditLog } from '../audit-log.js';
import { MasterKeyRotation } from '../secrets/master-key-rotation.js';
import { openVault } from '../secrets/secret-vault.js';
import { ServerSecrets } from './server-secrets.js';

describe('a secret of the server', () => {
  const database = useDatabase(openServerDatabase);
  beforeEach(async () => {
    for (const table of [serverSecrets, dataKeys, auditLog]) await database.db.delete(table);
  });

  /** A process. @param keys of its file of master keys; none: it has no file. */
  const start = async (...keys: string[]) => {
    const file = keys.length === 0 ? undefined : masterKeyFile(keys);
    const config = { masterKeyFile: file };
    const vault = await openVault(config, database.db, systemClock, silentLogger);
    const secrets = new ServerSecrets(database.db, systemClock, vault);
    return { vault, secrets };
  };
  const stored = async () =>
    (await database.db.select().from(serverSecrets)).map(({ secret }) => secret);

  it('is one, whichever processes need it first', async () => {
    const processes = await Promise.all(Array.from({ length: 6 }, () => start()));
    const found = await Promise.all(processes.map(({ secrets }) => secrets.get('page-tokens')));
    expect(new Set(found.map((secret) => secret.toString('hex'))).size).toBe(1);
    expect(await stored()).toHaveLength(1);
    const other = await processes[0]?.secrets.get('another-use');
    expect(other).not.toEqual(found[0]);
  });

  it('is sealed where there is a master key, and the same in every process', async () => {
    const key = newMasterKey();
    const [one, two] = [await start(key), await start(newMasterKey(), key)];
    const secret = await one.secrets.get('page-tokens');
    const [text = ''] = await stored();
    expect(text).toMatch(/^sealed:1:/);
    expect(text).not.toContain(secret.toString('base64url'));
    expect(await two.secrets.get('page-tokens')).toEqual(secret);
  });

  it('that was stored in plain text is read, and sealed by a rotation', async () => {
    const secret = await (await start()).secrets.get('page-tokens');
    expect(await stored()).toEqual([secret.toString('base64url')]);
    const key = newMasterKey();
    expect(await (await start(key)).secrets.get('page-tokens')).toEqual(secret);
    const { vault } = await start(key);
    const rotation = new MasterKeyRotation(
      database.db,
      vault,
      new AuditLog(database.db, systemClock),
    );
    expect(await rotation.rotate({ id: 'boss' })).toMatchObject({ sealed: 1 });
    expect((await stored())[0]).toMatch(/^sealed:1:/);
    expect(await (await start(key)).secrets.get('page-tokens')).toEqual(secret);
  });
});
