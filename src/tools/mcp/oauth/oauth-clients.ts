import {
  OAuthError,
  RegistrationRejectedError,
  registerClient,
  selectClientAuthMethod,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { hash } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { SERVER, type SecretPlace } from '../../../access/secret-columns.js';
import type { SecretVault } from '../../../access/secret-vault.js';
import type { Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import type { Database } from '../../../storage/connection.js';
import { mcpClients } from '../../../storage/mcp-schema.js';
import type { OAuthSettings } from '../definitions.js';
import {
  asking,
  type IssuerMetadata,
  type OAuthDiscovery,
  type ServerAuthorization,
} from './discovery.js';
import { clientShape, type LoginSecret, type OAuthClient } from './login-secret.js';
import { OAuthLoginError } from './oauth-error.js';

const NAME = 'Turnpike';
const codeGrant = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** What log-ins come back to: the deployment's own page, or another that is allowed. */
export interface Redirect {
  url: string;
  /** URL of the deployment's client metadata document. Absent: no authorization server can read it. */
  clientDocument?: string;
}

/** The client metadata document that authorization servers read. Pure. */
export function describeClient(clientDocument: string, redirects: readonly string[]): object {
  return {
    client_id: clientDocument,
    client_name: NAME,
    redirect_uris: redirects,
    ...codeGrant,
  };
}

/** The deployment as a client of authorization servers: registered by hand, by its document, or by themselves. */
export class OAuthClients {
  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly vault: SecretVault,
    private readonly discovery: OAuthDiscovery,
  ) {}

  /** @throws OAuthLoginError NO_CLIENT, CLIENT_REFUSED, AWAY. */
  async find(
    { issuer, metadata }: ServerAuthorization,
    { clientId, clientSecret }: OAuthSettings,
    { server, redirect }: { server: string; redirect: Redirect },
  ): Promise<OAuthClient> {
    if (clientId !== undefined) {
      return { client_id: clientId, ...compact({ client_secret: clientSecret }) };
    }
    const { clientDocument } = redirect;
    if (metadata.client_id_metadata_document_supported === true && clientDocument !== undefined) {
      return { client_id: clientDocument, token_endpoint_auth_method: 'none' };
    }
    const place = placeOf(issuer, redirect.url);
    const [known] = await this.db.select().from(mcpClients).where(eq(mcpClients.id, place.row));
    if (known !== undefined) {
      return clientShape.parse(JSON.parse(await this.vault.open(known.client, place)));
    }
    if (metadata.registration_endpoint === undefined) {
      throw new OAuthLoginError('NO_CLIENT', { issuer });
    }
    const made = await this.#register({ issuer, metadata, server, redirectUrl: redirect.url });
    const client = await this.vault.seal(JSON.stringify(made), place);
    const row = { id: place.row, issuer, client, createdAt: new Date(this.clock.now()) };
    await this.db.insert(mcpClients).values(row).onConflictDoNothing();
    return made;
  }

  async #register({
    issuer,
    metadata,
    server,
    redirectUrl,
  }: Pick<ServerAuthorization, 'issuer' | 'metadata'> & {
    server: string;
    redirectUrl: string;
  }): Promise<OAuthClient> {
    const { hostname } = new URL(redirectUrl);
    const isNative = ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
    try {
      return clientShape.parse(
        await registerClient(issuer, {
          metadata,
          clientMetadata: {
            client_name: NAME,
            redirect_uris: [redirectUrl],
            ...codeGrant,
            application_type: isNative ? 'native' : 'web',
          },
          fetchFn: this.discovery.fetch(server),
        }),
      );
    } catch (error) {
      if (error instanceof RegistrationRejectedError || error instanceof OAuthError) {
        throw new OAuthLoginError('CLIENT_REFUSED', { issuer }, { cause: error });
      }
      return asking(() => Promise.reject(error));
    }
  }
}

/** Forgets the deployment's registrations at an authorization server. */
export async function forgetClients(db: Database, issuer: string): Promise<void> {
  await db.delete(mcpClients).where(eq(mcpClients.issuer, issuer));
}

/**
 * Asks an authorization server to end tokens (RFC 7009): the refresh token first, with which most end the others.
 *
 * @returns whether it did; false where it offers no revocation, or refuses one.
 */
export async function revokeTokens(
  { accessToken, refreshToken, client }: LoginSecret,
  metadata: IssuerMetadata,
  fetchFn: FetchLike,
): Promise<boolean> {
  const endpoint = 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  if (typeof endpoint !== 'string') return false;
  const known = metadata.token_endpoint_auth_methods_supported ?? [];
  const { client_id: id, client_secret: secret = '' } = client;
  const isBasic = selectClientAuthMethod(client, known) === 'client_secret_basic';
  let isRevoked = true;
  for (const [hint, token] of [
    ['refresh_token', refreshToken],
    ['access_token', accessToken],
  ] as const) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ 'Content-Type': 'application/x-www-form-urlencoded' });
    if (isBasic) {
      headers.set('Authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
    } else {
      body.set('client_id', id);
      if (secret !== '') body.set('client_secret', secret);
    }
    const response = await fetchFn(endpoint, { method: 'POST', headers, body });
    isRevoked &&= response.ok;
    // The body of an answer says nothing.
    await response.body?.cancel();
  }
  return isRevoked;
}

function placeOf(issuer: string, redirectUrl: string): SecretPlace {
  const row = hash('sha256', JSON.stringify([issuer, redirectUrl]), 'hex');
  return { column: mcpClients.client, row, principalId: SERVER };
}
