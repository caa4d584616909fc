import {
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthServerInfo,
  IssuerMismatchError,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { TtlCache } from '../../../platform/async/ttl-cache.js';
import type { Clock } from '../../../platform/clock.js';
import { isLoopbackHttp, loopbackNames, refusedHost } from '../../../platform/net/addresses.js';
import { publicFetch } from '../../../platform/net/public-fetch.js';
import type { HttpDefinition } from '../definitions.js';
import { boundedResponse } from '../http-transport.js';
import { OAuthLoginError } from './oauth-error.js';

const MAX_ANSWER_BYTES = 256 * 1024;
/** Longest time of one request, in ms. */
const REQUEST_MS = 10_000;
/** Age at which metadata are read again, in ms. */
const FRESH_MS = 300_000;

/** Metadata of an authorization server. */
export type IssuerMetadata = NonNullable<
  Awaited<ReturnType<typeof discoverAuthorizationServerMetadata>>
>;

/** What is known of the log-in at a server. */
export interface ServerAuthorization {
  issuer: string;
  metadata: IssuerMetadata;
  /** What tokens are asked for; undefined: the authorization server is not told. */
  resource: string | undefined;
  /** Scopes that the server names. */
  scopes: readonly string[];
}

/** A `fetch` for metadata and tokens: of public addresses, over https, in bounded time and size. */
export type OAuthFetch = (server: string) => FetchLike;

/**
 * @param anywhere hosts that may have private addresses (`TURNPIKE_MCP_PRIVATE_HOSTS`).
 * @returns by the URL of the server: what a server that is not on this machine names never is on it.
 */
export function oauthFetch(anywhere: readonly string[]): OAuthFetch {
  const open = publicFetch({ privateHosts: { anywhere, loopback: [] } });
  const local = publicFetch({ privateHosts: { anywhere, loopback: loopbackNames } });
  return (server) => {
    const fetchBy = isLocal(server) ? local : open;
    return async (url, { body = null, signal, ...init } = {}) => {
      const target = new URL(url);
      if (!isSafe(target)) throw new OAuthLoginError('UNSAFE_ADDRESS', { issuer: target.origin });
      const limit = AbortSignal.timeout(REQUEST_MS);
      const response = await fetchBy(target, {
        ...init,
        body: body instanceof URLSearchParams ? body.toString() : body,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      });
      return boundedResponse(response, MAX_ANSWER_BYTES, () => undefined);
    };
  };
}

function isLocal(server: string): boolean {
  return loopbackNames.includes(new URL(server).hostname);
}

/** Whether tokens may go to an address, and people to a link. A name before the host misleads them. */
export function isSafe(url: URL): boolean {
  if (url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || isLoopbackHttp(url);
}

/** The URL of a server as log-ins are stored by: without a query, and without a slash at its end. */
export function normalServer(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname.replace(/\/+$/, '');
}

/** Issuers are equal with or without a slash at their end. */
export function isSameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '');
}

/** Finds the authorization servers of MCP servers, and refuses those that are not safe. */
export class OAuthDiscovery {
  readonly #issuers: TtlCache<IssuerMetadata>;

  constructor(
    private readonly fetchFor: OAuthFetch,
    clock: Clock,
  ) {
    this.#issuers = new TtlCache(clock, FRESH_MS);
  }

  fetch(server: string): FetchLike {
    return this.fetchFor(server);
  }

  /**
   * @param named the address of the metadata as the server's refusal named it: read at its own origin only.
   * @throws OAuthLoginError NOT_OFFERED, WRONG_RESOURCE, WRONG_ISSUER, NO_PKCE, UNSAFE_ADDRESS, AWAY.
   */
  async find(
    { url, oauth = {} }: Pick<HttpDefinition, 'url' | 'oauth'>,
    named?: URL,
  ): Promise<ServerAuthorization> {
    const { expectedIssuer } = oauth;
    const server = new URL(url);
    const fetchFn = this.fetchFor(url);
    const isOwn = named?.origin === server.origin;
    const discover = (at: { resourceMetadataUrl?: URL }) =>
      asking(() => discoverOAuthServerInfo(server, { ...at, fetchFn }));
    const atNamed = isOwn ? await discover({ resourceMetadataUrl: named }) : undefined;
    // A refusal may name an address that has nothing: a proxy adds its own, beside the right one.
    const found = atNamed?.resourceMetadata === undefined ? await discover({}) : atNamed;
    const { resourceMetadata: resource } = found;
    const servers = resource?.authorization_servers ?? [];
    const other = servers.find((one) => expectedIssuer && isSameIssuer(one, expectedIssuer));
    const metadata =
      other === undefined || other === found.authorizationServerUrl
        ? found.authorizationServerMetadata
        : await this.metadataOf(other, url);
    if (metadata === undefined) throw new OAuthLoginError('NOT_OFFERED');
    const { issuer } = metadata;
    if (expectedIssuer !== undefined && !isSameIssuer(issuer, expectedIssuer)) {
      throw new OAuthLoginError('WRONG_ISSUER', { issuer });
    }
    const own = new URL(url);
    own.hash = '';
    const isAllowed =
      resource === undefined ||
      checkResourceAllowed({ requestedResource: own, configuredResource: resource.resource });
    if (!isAllowed) throw new OAuthLoginError('WRONG_RESOURCE', { issuer });
    checkEndpoints(metadata);
    return {
      issuer,
      metadata,
      resource: oauth.resource === false ? undefined : (resource?.resource ?? own.href),
      scopes: resource?.scopes_supported ?? [],
    };
  }

  /**
   * Metadata of an authorization server that is known: for refreshes, revocations and the end of a log-in, which ask the
   * MCP server nothing.
   *
   * @throws OAuthLoginError WRONG_ISSUER, NO_PKCE, UNSAFE_ADDRESS, AWAY.
   */
  metadataOf(issuer: string, server: string): Promise<IssuerMetadata> {
    return this.#issuers.get(JSON.stringify([issuer, isLocal(server)]), async () => {
      const fetchFn = this.fetchFor(server);
      const metadata = await asking(() => discoverAuthorizationServerMetadata(issuer, { fetchFn }));
      if (metadata === undefined) throw new OAuthLoginError('AWAY', { issuer });
      checkEndpoints(metadata);
      return metadata;
    });
  }
}

/** @throws OAuthLoginError in place of the errors of the library. */
export async function asking<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof OAuthLoginError) throw error;
    if (error instanceof IssuerMismatchError) {
      throw new OAuthLoginError('WRONG_ISSUER', {}, { cause: error });
    }
    const fault = refusedHost(error) === undefined ? 'AWAY' : 'UNSAFE_ADDRESS';
    throw new OAuthLoginError(fault, {}, { cause: error });
  }
}

/** @throws OAuthLoginError NO_PKCE, UNSAFE_ADDRESS. */
function checkEndpoints(metadata: IssuerMetadata): void {
  const { issuer } = metadata;
  const endpoints = [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined,
  ];
  const isUnsafe = (one: unknown): boolean =>
    typeof one === 'string' && !(URL.canParse(one) && isSafe(new URL(one)));
  if (endpoints.some(isUnsafe)) throw new OAuthLoginError('UNSAFE_ADDRESS', { issuer });
}

/** @throws OAuthLoginError NO_PKCE. */
export function checkPkce({ issuer, code_challenge_methods_supported: methods }: IssuerMetadata) {
  if (methods?.includes('S256') !== true) throw new OAuthLoginError('NO_PKCE', { issuer });
}
