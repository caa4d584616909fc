import { describe, expect, it } from '@jest/globals';
import { openKeyAdmin } from '../../../src/cli/commands/keys-command.js';
import { TurnpikeError } from '../../../src/client/turnpike-client.js';
import { KeyedClient } from '../../support/clients/keyed-client.js';
import { startServer, useServer } from '../../support/processes/start-server.js';

describe('turnpike keys', () => {
  const server = useServer();

  /** Opens the key administration as the command does, with its environment and the store's. */
  async function manage<T>(
    act: (admin: Awaited<ReturnType<typeof openKeyAdmin>>) => Promise<T>,
    more: Record<string, string> = {},
  ): Promise<T> {
    const admin = await openKeyAdmin({ ...server.store.environment, ...more }, { isNew: true });
    try {
      return await act(admin);
    } finally {
      await admin.close();
    }
  }

  it('manages the keys of a server that runs, and of one that has stopped', async () => {
    const { key, secret } = await manage((admin) => admin.create({ principal: 'me' }));
    expect(key).toMatchObject({
      principal: 'me',
      scopes: ['turns', 'approvals', 'admin', 'texts', 'metrics', 'tokens'],
    });
    const withKey = { TURNPIKE_API_KEY: secret };
    const listed = await manage((admin) => admin.list(), withKey);
    expect(listed.map(({ id, status }) => [id, status])).toEqual([[key.id, 'active']]);
    await expect(
      manage((admin) => admin.create({ principal: 'me', scopes: ['all'] }), withKey),
    ).rejects.toThrow("'scopes'");
    await server.stop();
    const revoked = await manage((admin) => admin.revoke(key.id));
    expect(revoked).toMatchObject({ id: key.id, status: 'revoked' });
    const [left] = await manage((admin) => admin.list());
    expect(left).toMatchObject({ id: key.id, status: 'revoked' });
  });

  it('says what to do where the server asks for a key', async () => {
    const other = await startServer();
    const at = (key: Record<string, string>) =>
      openKeyAdmin(
        { ...other.store.environment, TURNPIKE_URL: `${other.url}/`, ...key },
        { isNew: false },
      );
    const isAlone = other.config.databaseUrl === undefined;
    if (isAlone) {
      const { secret } = await (await at({})).create({ principal: 'me' });
      expect((await new KeyedClient(other.url, secret).send('GET', '/agents')).status).toBe(200);
    }
    const refused = (await at({})).list();
    await expect(refused).rejects.toBeInstanceOf(TurnpikeError);
    await expect((await at({})).list()).rejects.toThrow('TURNPIKE_API_KEY');
    await other.close();
  });
});
