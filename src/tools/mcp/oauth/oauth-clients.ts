import {
  exchangeAuthorization,
  OAuthError,
  RegistrationRejectedError,
  registerClient,
  selectClientAuthMethod,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { randomBytes } from 'node:crypto';
import type { SecretPlace } from '../../../access/secrets/secret-columns.js';
import type { SecretVault } from '../../../access/secrets/secret-vault.js';
import { KeyedMutex } from '../../../platform/async/keyed-mutex.js';
import type { Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import type { Logger } from '../../../platform/logger.js';
import { isLoopback } from '../../../platform/net/addresses.js';
import type { Database } from '../../../storage/connection.js';
import type { OAuthSettings } from '../definitions.js';
import {
  asking,
  type IssuerMetadata,
  type OAuthDiscovery,
  type ServerAuthorization,
} from './discovery.js';
import {
  clientShape,
  type LoginSecret,
  type OAuthClient,
  type StoredClient,
} from './login-secret.js';
import { OAuthLoginError } from './oauth-error.js';
import {
  countDoubt,
  findClient,
  forgetClient,
  insertClient,
  loadClient,
  parseClient,
  placeOf,
  replaceClient,
  type RegisteredClient,
  type RegisteredClientDeps,
} from './registered-clients.js';

const NAME = 'Turnpike';
const codeGrant = {
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** What log-ins come back to: the deployment's own page, or another that is allowed. */
export interface Redirect {
  url: string;
  /** The redirects of its client, where it is one of several. Absent: it alone. */
  registered?: readonly string[];
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

/** Age at which a link without an answer counts where its issuer does not refuse the client, in ms. */
const UNANSWERED_MS = 60_000;
/** Codes by which an authorization server refuses a client. */
const clientErrors: ReadonlySet<string> = new Set(['invalid_client', 'unauthorized_client']);

export function refusesClient(code: string): boolean {
  return clientErrors.has(code);
}

/** A log-in that has begun, and has no answer yet. */
export interface UnansweredLogin {
  clientId: string;
  /** In ms since the epoch. */
  begunAt: number;
}

/** For whom a client is looked up, and where its log-in comes back to. */
interface ClientUse {
  server: string;
  redirect: Redirect;
  principalId: string;
  /** Log-ins of the principal without an answer. */
  unanswered: () => Promise<readonly UnansweredLogin[]>;
}

/** An authorization server as an MCP server named it, whose URL is `server`. */
type Issuer = Pick<ServerAuthorization, 'issuer' | 'metadata'> & { server: string };

/** Why a client counts no more. `unanswered`: its issuer does not say so; there are links without an answer. */
interface Fault {
  kind: 'ended' | 'forgotten' | 'unanswered';
  doubts: StoredClient['doubts'];
}

/**
 * The deployment as a client of authorization servers: registered by hand, by its document, or by themselves.
 *
 * An authorization server may forget whom it registered, and its error page says so to the person alone. So a
 * registration whose link stays without an answer is doubted at that person's next log-in: the issuer is asked whether
 * it knows the client. Log-ins that have begun keep the client that they began with.
 */
export class OAuthClients {
  readonly #registering = new KeyedMutex();

  constructor(
    private readonly db: Database,
    private readonly clock: Clock,
    private readonly vault: SecretVault,
    private readonly discovery: OAuthDiscovery,
    private readonly logger: Pick<Logger, 'warn' | 'info'>,
  ) {}

  /** @throws OAuthLoginError NO_CLIENT, CLIENT_REFUSED, AWAY. */
  async find(
    { issuer, metadata }: ServerAuthorization,
    { clientId, clientSecret }: OAuthSettings,
    use: ClientUse,
  ): Promise<OAuthClient> {
    if (clientId !== undefined) {
      return { client_id: clientId, ...compact({ client_secret: clientSecret }) };
    }
    const { clientDocument } = use.redirect;
    if (metadata.client_id_metadata_document_supported === true && clientDocument !== undefined) {
      return { client_id: clientDocument, token_endpoint_auth_method: 'none' };
    }
    const redirects = use.redirect.registered ?? [use.redirect.url];
    const place = placeOf(issuer, redirects);
    const at = { issuer, metadata, server: use.server };
    const known = await loadClient(this.#deps, place);
    if (known === undefined) return this.#register(place, { ...at, redirects });
    const fault = await this.#faultOf(known, at, use);
    if (fault === undefined) return clientShape.parse(known.client);
    try {
      return await this.#register(place, { ...at, redirects }, { ...known, doubts: fault.doubts });
    } catch (error) {
      if (fault.kind !== 'unanswered' || !(error instanceof OAuthLoginError)) throw error;
      this.logger.warn(
        { issuer, reason: error.fault, error },
        'log-ins at an authorization server get no answer, and it registered no new client; the next log-in tries again, the old client stays until then',
      );
      return clientShape.parse(known.client);
    }
  }

  /**
   * Takes an error in an answer as a doubt of its client. Whoever has begun a log-in can bring one, so the issuer is
   * asked.
   *
   * @param error the code of the answer.
   * @returns whether the next log-in has another client.
   */
  async doubt(
    error: string,
    client: OAuthClient,
    { principalId, redirectUrl, ...at }: Issuer & Record<'principalId' | 'redirectUrl', string>,
  ): Promise<boolean> {
    const known = await findClient(this.#deps, at.issuer, client.client_id);
    if (known === undefined) return false;
    const isForgotten = await this.#isForgotten(client, redirectUrl, at);
    const counted = refusesClient(error)
      ? countDoubt(known.client, principalId, this.clock.now())
      : undefined;
    if (!isForgotten && counted === undefined) return false;
    const doubts = isForgotten ? known.client.doubts : counted;
    const doubted = { ...known.client, isDoubted: true, ...compact({ doubts }) };
    await replaceClient(this.#deps, known, doubted);
    return true;
  }

  /** Forgets a client that its issuer refused by a code of `refusesClient`. */
  async forget(issuer: string, { client_id: id }: OAuthClient): Promise<void> {
    await forgetClient(this.#deps, issuer, id);
  }

  get #deps(): RegisteredClientDeps {
    return { db: this.db, clock: this.clock, vault: this.vault };
  }

  async #faultOf(
    { client, createdAt }: RegisteredClient,
    at: Issuer,
    { redirect, principalId, unanswered }: ClientUse,
  ): Promise<Fault | undefined> {
    const now = this.clock.now();
    const { doubts } = client;
    if (client.isDoubted === true) return { kind: 'forgotten', doubts };
    const endsAt = (client.client_secret_expires_at ?? 0) * 1_000;
    // A secret that had ended when it came is one of a clock that is wrong.
    if (endsAt > createdAt.getTime() && endsAt <= now) return { kind: 'ended', doubts };
    const own = (await unanswered()).filter(({ clientId }) => clientId === client.client_id);
    if (own.length === 0) return undefined;
    if (await this.#isForgotten(client, redirect.url, at)) return { kind: 'forgotten', doubts };
    if (!own.some(({ begunAt }) => begunAt <= now - UNANSWERED_MS)) return undefined;
    const counted = countDoubt(client, principalId, now);
    return counted && { kind: 'unanswered', doubts: counted };
  }

  /**
   * Asks an issuer for tokens by a code that does not exist. An issuer that does not know the client refuses that, any
   * other one refuses the code. One that is away says nothing.
   */
  async #isForgotten(
    client: OAuthClient,
    redirectUri: string,
    { issuer, metadata, server }: Issuer,
  ): Promise<boolean> {
    try {
      await exchangeAuthorization(issuer, {
        metadata,
        clientInformation: client,
        authorizationCode: randomBytes(32).toString('base64url'),
        codeVerifier: randomBytes(32).toString('base64url'),
        redirectUri,
        iss: metadata.issuer,
        fetchFn: this.discovery.fetch(server),
      });
      return false;
    } catch (error) {
      return error instanceof OAuthError && refusesClient(error.code);
    }
  }

  /** Registers, one request at a time. @returns the client that another request registered meanwhile, if one did. */
  #register(
    place: SecretPlace,
    wanted: Issuer & { redirects: readonly string[] },
    instead?: RegisteredClient & Pick<Fault, 'doubts'>,
  ): Promise<OAuthClient> {
    const { issuer } = wanted;
    return this.#registering.run(place.row, async () => {
      const found = await loadClient(this.#deps, place);
      if (found !== undefined && found.client.client_id !== instead?.client.client_id) {
        return clientShape.parse(found.client);
      }
      const made = await this.#ask(wanted);
      const client = { ...made, ...compact({ doubts: instead?.doubts }) };
      if (found === undefined) await insertClient(this.#deps, { place, issuer, client });
      else if (await replaceClient(this.#deps, found, client)) {
        this.logger.info(
          { issuer },
          'registered anew at an authorization server, which may have forgotten the client before; log-ins that have begun keep theirs',
        );
      }
      const last = await loadClient(this.#deps, place);
      return clientShape.parse(last?.client ?? made);
    });
  }

  async #ask({
    issuer,
    metadata,
    server,
    redirects,
  }: Issuer & { redirects: readonly string[] }): Promise<StoredClient> {
    if (metadata.registration_endpoint === undefined) {
      throw new OAuthLoginError('NO_CLIENT', { issuer });
    }
    const isNative = redirects.every((url) => isLoopback(new URL(url).hostname));
    try {
      return parseClient(
        await registerClient(issuer, {
          metadata,
          clientMetadata: {
            client_name: NAME,
            redirect_uris: [...redirects],
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
