import { index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './column-types.js';

/** Tables of log-ins at MCP servers. */

/** Log-ins of people at MCP servers: one for each person, server and issuer. One that was ended has no row. */
export const mcpLogins = pgTable(
  'mcp_logins',
  {
    id: text('id').primaryKey(),
    principalId: text('principal_id').notNull(),
    /** Name of the server where the log-in was begun. */
    name: text('name').notNull(),
    /** Normalised URL of the server; the tokens are sent to no other. */
    server: text('server').notNull(),
    /** The authorization server that issued the tokens. */
    issuer: text('issuer').notNull(),
    /** The tokens and their client, as sealed JSON. */
    tokens: text('tokens').notNull(),
    /** Rises with each change of the tokens: a process that read an older version changes nothing. */
    version: integer('version').notNull(),
    /** Until when a process refreshes the tokens; null: none does. */
    refreshingUntil: instant('refreshing_until'),
    /** The end of the access token; null: its issuer does not say. */
    expiresAt: instant('expires_at'),
    createdAt: instant('created_at').notNull(),
    /** The time of the last log-in or refresh. */
    renewedAt: instant('renewed_at').notNull(),
  },
  (login) => [
    uniqueIndex('mcp_logins_by_server').on(login.principalId, login.server, login.issuer),
  ],
);

/** Log-ins at MCP servers that have begun. Each row is used once, within ten minutes. */
export const mcpBegunLogins = pgTable(
  'mcp_begun_logins',
  {
    /** SHA-256 of the `state`, in hex. The `state` itself is not stored. */
    id: text('id').primaryKey(),
    principalId: text('principal_id').notNull(),
    /** All that its end needs, as sealed JSON. */
    flow: text('flow').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (begun) => [index('mcp_begun_logins_by_principal').on(begun.principalId)],
);

/** The deployment as a client of authorization servers, as these registered it. */
export const mcpClients = pgTable('mcp_clients', {
  /** SHA-256 of issuer and redirect URL, in hex. */
  id: text('id').primaryKey(),
  issuer: text('issuer').notNull(),
  /** The client's id and secret, as sealed JSON. */
  client: text('client').notNull(),
  createdAt: instant('created_at').notNull(),
});
