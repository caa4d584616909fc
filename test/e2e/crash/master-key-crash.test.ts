import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { openMasterKeyFile } from '../../../src/access/secrets/master-key-file.js';
import { SecretVault } from '../../../src/access/secrets/secret-vault.js';
import { openDatabase } from '../../../src/cli/data/open-keys-in-database.js';
import { parseConfig } from '../../../src/config/config.js';
import { systemClock } from '../../../src/platform/clock.js';
import { webhookEndpoints } from '../../../src/storage/automation-schema.js';
import type { Database } from '../../../src/storage/connection.js';
import { dataKeys } from '../../../src/storage/governance-schema.js';
import { masterKeyFile, newMasterKey } from '../../support/access/master-keys.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { newStore, type TestStore } from '../../support/database/test-store.js';
import { startProcess } from '../../support/processes/start-process.js';
import { silentLogger } from '../../support/silent-logger.js';

/** Data keys of more than two of the rotation's reads. */
const PRINCIPALS = 410;
/** Seconds that each of them takes: the rotation is slow enough to be killed in its middle, at the first try. */
const ROW_S = 0.01;
const [a, b] = [newMasterKey(), newMasterKey()];
const placeOf = (principalId: string) => ({
  column: webhookEndpoints.secret,
  row: 'hook_1',
  principalId,
});

describe('kill -9 in a rotation of the master key', () => {
  let store: TestStore;
  let adminKey: string;
  const file = masterKeyFile([a]);
  const sealed = new Map<string, string>();
  beforeAll(async () => {
    store = await newStore();
    await inDatabase(async (db, vault) => {
      adminKey = (await makeKey({ db, clock: systemClock }, { principal: 'root' })).secret;
      for (let index = 0; index < PRINCIPALS; index += 1) {
        const name = `p${index}`;
        sealed.set(name, await vault.seal(`of ${name}`, placeOf(name)));
      }
      await db.execute(
        sql.raw(`create function wait_a_little() returns trigger language plpgsql as $$ begin
          perform pg_sleep(${ROW_S}); return new; end $$`),
      );
      await db.execute(
        sql.raw(`create trigger wait_a_little before update on data_keys
          for each row execute function wait_a_little()`),
      );
    });
  });
  afterAll(() => store.close());

  /** Opens the database while no server has it, with all keys of the file. */
  async function inDatabase<T>(act: (db: Database, vault: SecretVault) => Promise<T>): Promise<T> {
    const config = parseConfig({ ...store.environment, TURNPIKE_MIGRATE: 'apply' });
    const { db, close } = await openDatabase(config);
    try {
      const keys = await openMasterKeyFile(file, silentLogger);
      return await act(db, new SecretVault(db, systemClock, keys));
    } finally {
      await close();
    }
  }

  /** Opens what is sealed under every data key. @returns the number of data keys by their master key. */
  const openAll = () =>
    inDatabase(async (db, vault) => {
      for (const [name, text] of sealed) {
        expect(await vault.open(text, placeOf(name))).toBe(`of ${name}`);
      }
      const counts: Record<string, number> = {};
      for (const { wrappedBy } of await db.select().from(dataKeys)) {
        counts[wrappedBy] = (counts[wrappedBy] ?? 0) + 1;
      }
      return counts;
    });

  const rotate = (url: string) =>
    fetch(`${url}/api/admin/master-key/rotate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}` },
    });

  it('leaves each data key whole, under the old key or the new one, and is made again', async () => {
    let [first, last] = [a, b];
    let delayMs = (PRINCIPALS * ROW_S * 1_000) / 3;
    let counts: Record<string, number> = {};
    for (let tries = 0; Object.keys(counts).length !== 2; tries += 1) {
      if (tries === 12) throw new Error('No kill came in the middle of a rotation');
      [first, last] = [last, first];
      masterKeyFile([first, last], file);
      const server = await startProcess({
        ...store.environment,
        TURNPIKE_MASTER_KEY_FILE: file,
      });
      const answered = rotate(server.url).then(
        () => true,
        () => false,
      );
      const isOver = await Promise.race([
        answered,
        new Promise<false>((resolve) => setTimeout(() => resolve(false), delayMs)),
      ]);
      await server.kill('SIGKILL');
      await answered;
      counts = await openAll();
      expect(Object.values(counts).reduce((sum, one) => sum + one)).toBe(PRINCIPALS);
      // A rotation that was over is killed earlier next time; one that had not begun, later.
      delayMs = isOver ? delayMs / 2 : delayMs * 1.5;
    }
    const server = await startProcess({ ...store.environment, TURNPIKE_MASTER_KEY_FILE: file });
    const rotated = (await (await rotate(server.url)).json()) as { wrapped: number };
    expect(rotated.wrapped).toBeGreaterThan(0);
    expect(rotated.wrapped).toBeLessThan(PRINCIPALS);
    await server.kill('SIGTERM');
    masterKeyFile([first], file);
    expect(Object.keys(await openAll())).toHaveLength(1);
  });
});
