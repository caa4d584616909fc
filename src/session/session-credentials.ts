import type { SecretPlace } from '../access/secrets/secret-columns.js';
import type { SecretVault } from '../access/secrets/secret-vault.js';
import type { Queryable } from '../storage/connection.js';
import { sessions } from '../storage/schema.js';

interface CredentialOwner {
  id: string;
  principalId: string;
}

/** Seals a new session's MCP servers, which have credentials. @param db the transaction that stores it, if any. */
export async function sealCredentials(
  vault: SecretVault,
  session: CredentialOwner,
  servers: Record<string, unknown> | null,
  db?: Queryable,
): Promise<object | null> {
  return servers && vault.sealObject(servers, placeOf(session), db);
}

/** A session's MCP servers by name; null: none. @throws TypedError SECRET_UNREADABLE 500. */
export async function openCredentials(
  vault: SecretVault,
  session: CredentialOwner & { mcpServers: object | null },
  db?: Queryable,
): Promise<Record<string, unknown> | null> {
  return session.mcpServers && vault.openObject(session.mcpServers, placeOf(session), db);
}

function placeOf({ id, principalId }: CredentialOwner): SecretPlace {
  return { column: sessions.mcpServers, row: id, principalId };
}
