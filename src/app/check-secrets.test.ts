import { beforeEach, describe, expect, it } from '@jest/globals';
import { newMasterKey, openMasterKeys } from '../../test/support/access/master-keys.js';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { openSessions, plainVault } from '../../test/support/open-sessions.js';
import { storeEndpoint } from '../../test/support/webhooks/store-endpoint.js';
import { SecretVault } from '../access/secrets/secret-vault.js';
import { createLogger } from '../platform/logger.js';
import { webhookEndpoints } from '../storage/automation-schema.js';
import { sessions } from '../storage/schema.js';
import { checkSecrets } from './check-access.js';

const far = 'postgres://turnpike:pass@db.example.com/turnpike';

describe('the check of secrets at a start', () => {
  const database = useDatabase();
  const clock = new ManualClock();
  beforeEach(async () => {
    await database.db.delete(webhookEndpoints);
    await database.db.delete(sessions);
  });

  const warningsAt = async (
    databaseUrl: string | undefined,
    vault = plainVault(database.db, clock),
  ): Promise<string[]> => {
    const lines: string[] = [];
    const destination = { write: (line: string) => lines.push(line) };
    const redact = (line: string) => line;
    const logger = createLogger({ level: 'info', readable: false, redact, destination });
    await checkSecrets(vault, { databaseUrl }, logger);
    return lines;
  };

  it('warns once of secrets that a database over the network has in plain text', async () => {
    expect(await warningsAt(far)).toEqual([]);
    await storeEndpoint(database.db);
    const lines = await warningsAt(far);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('set TURNPIKE_MASTER_KEY_FILE to seal them');
    expect(lines[0]).toContain('webhook_endpoints.secret');
    expect(lines[0]).not.toContain('whsec_');
  });

  it('warns of credentials of a session as well', async () => {
    const stored = { projectRoot: '/p', persona: 'P', mode: 'default' };
    await openSessions(database.db, clock).create(stored);
    expect(await warningsAt(far)).toEqual([]);
    const mcpServers = { docs: { headers: { Authorization: 'Bearer x' } } };
    await openSessions(database.db, clock).create({ ...stored, mcpServers });
    expect((await warningsAt(far)).join('')).toContain('sessions.mcp_servers');
  });

  it.each([
    ['the embedded database', undefined],
    ['one on this machine', 'postgres://turnpike@127.0.0.1:5432/turnpike'],
    ['one at [::1]', 'postgres://turnpike@[::1]/turnpike'],
    ['one at localhost', 'postgres://localhost/turnpike'],
    ['one at a socket', 'postgres:///turnpike?host=/run/postgresql'],
    ['one at a socket in the host', 'postgres://%2Frun%2Fpostgresql/turnpike'],
  ])('does not warn of %s', async (_what, url) => {
    await storeEndpoint(database.db);
    expect(await warningsAt(url)).toEqual([]);
  });

  it('does not warn where there are master keys', async () => {
    await storeEndpoint(database.db);
    const keys = await openMasterKeys(newMasterKey());
    expect(await warningsAt(far, new SecretVault(database.db, clock, keys))).toEqual([]);
  });
});
