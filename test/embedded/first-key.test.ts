import path from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { KeyedClient } from '../support/clients/keyed-client.js';
import { newDataFolder } from '../support/database/database-folder.js';
import { startProcess } from '../support/processes/start-process.js';
import { newFolder } from '../support/suite.js';

const sessions = '/api/harness/sessions';

describe('a server that other machines reach', () => {
  let environment: Record<string, string>;
  beforeAll(async () => {
    environment = {
      TURNPIKE_DATA_DIR: await newDataFolder(),
      TURNPIKE_PROJECTS_DIR: path.join(newFolder(), 'projects'),
      TURNPIKE_HOST: '0.0.0.0',
      // The key is no line of the log, which hides keys.
      TURNPIKE_LOG_LEVEL: 'silent',
    };
  });

  it('does not start without a key, and says how it would make one', async () => {
    await expect(startProcess(environment)).rejects.toThrow(
      /It exited with 1: .*there is no API key.*TURNPIKE_FIRST_KEY=print/s,
    );
  });

  it('makes and prints the first key, once, which opens everything', async () => {
    const asked = { ...environment, TURNPIKE_FIRST_KEY: 'print' };
    const first = await startProcess(asked);
    const { key, principal, scopes } = JSON.parse(first.stderr()) as Record<string, unknown>;
    expect([principal, scopes]).toEqual([
      'local',
      ['turns', 'approvals', 'admin', 'texts', 'metrics', 'tokens'],
    ]);
    expect((await new KeyedClient(first.url).send('GET', sessions)).status).toBe(401);
    const keyed = new KeyedClient(first.url, String(key));
    expect((await keyed.send('GET', sessions)).status).toBe(200);
    const { body: made } = await keyed.send('POST', '/api/admin/keys', { principal: 'alice' });
    const { body } = await keyed.send('GET', '/api/admin/audit');
    expect(body['entries']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ principal: 'first-start', action: 'key.created' }),
      ]),
    );
    await first.kill('SIGTERM');

    const second = await startProcess(asked);
    expect(second.stderr()).toBe('');
    const again = new KeyedClient(second.url, String(key));
    const { status, body: listed } = await again.send('GET', '/api/admin/keys');
    expect(status).toBe(200);
    expect(listed['keys']).toHaveLength(2);
    const ids = [(made['key'] as { id: string }).id, String(key).split('_')[1]];
    for (const id of ids) await again.send('DELETE', `/api/admin/keys/${id}`);
    await second.kill('SIGTERM');

    // Keys that somebody revoked are no reason for a new one.
    await expect(startProcess(asked)).rejects.toThrow(/there is no API key that is taken/);
  });
});
