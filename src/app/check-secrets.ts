import type { SecretVault } from '../access/secret-vault.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../platform/logger.js';
import { isLoopback } from '../platform/net/addresses.js';

/**
 * Checks that this process can open the secrets of the database, and warns of secrets that a database over the network
 * has as they are.
 *
 * @throws MasterKeysRefusedError.
 */
export async function checkSecrets(
  vault: SecretVault,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
  logger: Logger,
): Promise<void> {
  await vault.checkMasterKeys();
  if (vault.seals || !isOverNetwork(databaseUrl)) return;
  const column = await vault.findPlain();
  if (column !== undefined) {
    logger.warn(
      { column },
      'the database has secrets of webhooks or MCP servers in plain text; set TURNPIKE_MASTER_KEY_FILE to seal them',
    );
  }
}

/** Whether the database is reached over a network: it is not embedded, at a socket, or at an address of loopback. */
function isOverNetwork(databaseUrl: string | undefined): boolean {
  if (databaseUrl === undefined || !URL.canParse(databaseUrl)) return false;
  const { hostname, searchParams } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return host !== '' && !host.startsWith('/') && !isLoopback(host);
}
