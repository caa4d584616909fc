import { sql, type SQL } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { webhookEndpoints } from '../../storage/automation-schema.js';
import { approvals, serverSecrets } from '../../storage/governance-schema.js';
import { mcpBegunLogins, mcpClients, mcpLogins } from '../../storage/mcp-schema.js';
import { sessions } from '../../storage/schema.js';

/** Where a secret is stored, and whose it is. A sealed value opens there alone. */
export interface SecretPlace {
  column: PgColumn;
  /** The row's primary key. */
  row: string;
  principalId: string;
}

/** Owns the secrets of the server itself. No principal can have the name. */
export const SERVER = '(server)';

/** A column whose values `SecretVault` seals. */
export interface SecretColumn {
  column: PgColumn;
  /** The primary key of its table. */
  id: PgColumn;
  principalId: PgColumn | SQL;
}

/** Begins every sealed value; then come the id of the data key, and the sealed bytes in base64url. */
export const SEALED = 'sealed:1:';

/** All of them: a rotation of the master key seals what they have in plain text. */
export const secretColumns: readonly SecretColumn[] = [
  ...[webhookEndpoints.secret, webhookEndpoints.previousSecret].map((column) => ({
    column,
    id: webhookEndpoints.id,
    principalId: webhookEndpoints.principalId,
  })),
  { column: serverSecrets.secret, id: serverSecrets.name, principalId: sql`${SERVER}` },
  { column: mcpLogins.tokens, id: mcpLogins.id, principalId: mcpLogins.principalId },
  { column: mcpBegunLogins.flow, id: mcpBegunLogins.id, principalId: mcpBegunLogins.principalId },
  { column: mcpClients.client, id: mcpClients.id, principalId: sql`${SERVER}` },
  { column: sessions.mcpServers, id: sessions.id, principalId: sessions.principalId },
  {
    column: approvals.callState,
    id: approvals.id,
    principalId: sql`(select owner.principal_id from sessions owner where owner.id = approvals.session_id)`,
  },
];

/** Whether a column has a secret in plain text. An object of sealed text is stored without blanks. */
export function isPlain(column: PgColumn): SQL {
  const text = sql`${column}::text`;
  const object = `{"sealed":"${SEALED}%`;
  return sql`${column} is not null and ${text} not like ${`${SEALED}%`} and ${text} not like ${object}`;
}
