import {
  OAuthError,
  RegistrationRejectedError,
  registerClient,
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
import { asking, type OAuthDiscovery, type ServerAuthorization } from './discovery.js';
import { clientShape, type OAuthClient } from './login-secret.js';
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

function placeOf(issuer: string, redirectUrl: string): SecretPlace {
  const row = hash('sha256', JSON.stringify([issuer, redirectUrl]), 'hex');
  return { column: mcpClients.client, row, principalId: SERVER };
}
