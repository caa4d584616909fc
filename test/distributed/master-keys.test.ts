import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SecretVault } from '../../src/access/secrets/secret-vault.js';
import { webhookEndpoints } from '../../src/storage/automation-schema.js';
import { masterKeyFile, newMasterKey } from '../support/access/master-keys.js';
import { KeyedClient, makeKey } from '../support/clients/keyed-client.js';
import { newStore, type TestStore } from '../support/database/test-store.js';
import { startServer, type TestServer } from '../support/processes/start-server.js';

const [a, b] = [newMasterKey(), newMasterKey()];

describe('two processes with files of master keys of their own', () => {
  let store: TestStore;
  let servers: readonly TestServer[];
  let admin: string;
  const files = [masterKeyFile([a]), masterKeyFile([a])];
  const sealed: { text: string; principalId: string }[] = [];
  beforeAll(async () => {
    store = await newStore();
    const start = (file: string) =>
      startServer({ store, environment: { TURNPIKE_MASTER_KEY_FILE: file } });
    servers = [await start(files[0] ?? ''), await start(files[1] ?? '')];
    admin = (await makeKey(one(0), { principal: 'root' })).secret;
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
    await store.close();
  });

  const one = (index: number): TestServer => {
    const server = servers[index];
    if (server === undefined) throw new Error('There is no such server');
    return server;
  };
  const placeOf = (principalId: string) => ({
    column: webhookEndpoints.secret,
    row: 'hook_1',
    principalId,
  });
  /** Each process seals for a principal of its own that is new, and for one that both know. */
  const sealInBoth = async (): Promise<void> => {
    for (const index of [0, 1]) {
      for (const principalId of [`new-${sealed.length}`, 'known']) {
        const vault = one(index).get(SecretVault);
        sealed.push({ principalId, text: await vault.seal(principalId, placeOf(principalId)) });
      }
    }
  };
  const openInBoth = async (): Promise<void> => {
    for (const index of [0, 1]) {
      for (const { text, principalId } of sealed) {
        const opened = await one(index).get(SecretVault).open(text, placeOf(principalId));
        expect(opened).toBe(principalId);
      }
    }
  };
  const rotateAt = async (index: number): Promise<Record<string, unknown>> => {
    const client = new KeyedClient(one(index).url, admin);
    const { status, body } = await client.send('POST', '/api/admin/master-key/rotate');
    expect(status).toBe(200);
    return body;
  };

  it.each<[string, number, readonly string[]]>([
    ['the first has the new key too', 0, [a, b]],
    ['both have', 1, [a, b]],
    ['the second seals with it, and the first does not yet', 1, [b, a]],
    ['both seal with it', 0, [b, a]],
  ])('seal and open while %s', async (_what, index, keys) => {
    masterKeyFile(keys, files[index]);
    await sealInBoth();
    await openInBoth();
  });

  it.each([0, 1])('seal and open after a rotation by process %i', async (index) => {
    const principals = new Set(sealed.map(({ principalId }) => principalId)).size;
    const { wrapped } = await rotateAt(index);
    if (index === 0) expect(wrapped).toBeGreaterThan(0);
    else expect(wrapped).toBe(0);
    expect(principals).toBeGreaterThan(5);
    await sealInBoth();
    await openInBoth();
  });

  it.each([1, 0])('seal and open once process %i has the new key alone', async (index) => {
    masterKeyFile([b], files[index]);
    await sealInBoth();
    await openInBoth();
  });

  it('say what is missing where one was given a key that the other has not', async () => {
    const c = newMasterKey();
    masterKeyFile([c, b], files[0]);
    const principalId = 'ahead';
    const text = await one(0).get(SecretVault).seal('secret', placeOf(principalId));
    const behind = one(1).get(SecretVault);
    await expect(behind.open(text, placeOf(principalId))).rejects.toMatchObject({
      type: 'SECRET_UNREADABLE',
    });
    masterKeyFile([b, c], files[1]);
    expect(await behind.open(text, placeOf(principalId))).toBe('secret');
  });
});
