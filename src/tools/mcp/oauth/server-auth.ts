import {
  ClientCredentialsProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  fetchToken,
  isStrictScopeSuperset,
  OAuthError,
  SdkErrorCode,
  SdkHttpError,
  type AuthProvider,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../../platform/clock.js';
import { compact } from '../../../platform/compact.js';
import type { HttpDefinition } from '../definitions.js';
import { asking, type OAuthDiscovery } from './discovery.js';
import type { McpLogins, OpenLogin } from './mcp-logins.js';
import { LoginNeededError, OAuthLoginError, printable } from './oauth-error.js';

/** Time before its end at which a token of the deployment is replaced, in ms. */
const EARLY_MS = 60_000;

type UnauthorizedContext = Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0];

/** Tokens for the requests of one connection. */
export interface ServerAuth extends AuthProvider {
  /**
   * Turns the refusal of a token that lacks scopes into the error of the call.
   *
   * @throws LoginNeededError; OAuthLoginError SCOPE_REFUSED where another log-in would change nothing.
   */
  needScopes(required: string | undefined): Promise<never>;
  /** The tokens that were sent, which no text may show. */
  sent(): readonly string[];
}

export interface AuthTarget {
  name: string;
  definition: HttpDefinition;
}

export interface AuthParts {
  discovery: OAuthDiscovery;
  logins: McpLogins;
  clock: Clock;
}

/** Tokens of the person whose log-in it is; of nobody, until there is one. */
export class PersonAuth implements ServerAuth {
  #last: OpenLogin | undefined;
  readonly #sent = new Set<string>();

  /** @param loginId undefined: nobody has logged in yet. */
  constructor(
    private readonly target: AuthTarget,
    private readonly loginId: string | undefined,
    private readonly parts: AuthParts,
  ) {}

  async token(): Promise<string | undefined> {
    const { loginId } = this;
    if (loginId === undefined) return undefined;
    // Read for each request: a log-in that was ended, or has other scopes now, counts at once in every process.
    this.#last = await this.parts.logins.fresh(loginId);
    if (this.#last === undefined) return undefined;
    const { accessToken } = this.#last;
    // The last few: those of calls that are under way.
    if (!this.#sent.has(accessToken) && this.#sent.size > 2) this.#sent.clear();
    this.#sent.add(accessToken);
    return accessToken;
  }

  sent(): readonly string[] {
    return [...this.#sent, this.#last?.refreshToken ?? ''];
  }

  /** @throws LoginNeededError, OAuthLoginError; SdkHttpError 401 of a server at which nobody logs in by OAuth. */
  async onUnauthorized({ response }: UnauthorizedContext): Promise<void> {
    const { loginId, target } = this;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    const refused = this.#last;
    if (loginId !== undefined && refused !== undefined) {
      const { version } = refused.row;
      if ((await this.parts.logins.fresh(loginId, version)) !== undefined) return;
    }
    const { issuer, scopes } = await this.#issuerOf(response, resourceMetadataUrl);
    const named = target.definition.oauth?.scopes ?? scope?.split(/\s+/) ?? scopes;
    throw this.#needed(issuer, named);
  }

  async needScopes(required: string | undefined): Promise<never> {
    const { name, definition } = this.target;
    const login = this.#last;
    const { issuer } = login ?? (await this.parts.discovery.find(definition));
    const own = definition.oauth?.scopes?.join(' ');
    const all = computeScopeUnion(own, login?.asked, login?.scope, required);
    const asked = computeScopeUnion(login?.asked, login?.scope);
    if (login !== undefined && !isStrictScopeSuperset(all, asked)) {
      throw new OAuthLoginError('SCOPE_REFUSED', { server: name, issuer });
    }
    throw this.#needed(issuer, all?.split(' ') ?? []);
  }

  #needed(issuer: string, scopes: readonly string[]): LoginNeededError {
    const { name: server, definition } = this.target;
    const { host } = new URL(definition.url);
    return new LoginNeededError({ server, host, issuer, scopes: scopes.filter(Boolean) });
  }

  async #issuerOf(response: Response, named: URL | undefined) {
    try {
      return await this.parts.discovery.find(this.target.definition, named);
    } catch (error) {
      if (!(error instanceof OAuthLoginError) || error.fault !== 'NOT_OFFERED') throw error;
      const { status, statusText } = response;
      const text = await response.text();
      const data = { status, statusText, text };
      throw new SdkHttpError(SdkErrorCode.ClientHttpAuthentication, 'it was refused', data);
    }
  }
}

/** Tokens of the deployment itself, for a server whose definition has the grant `client_credentials`. */
export class DeploymentAuth implements ServerAuth {
  readonly #provider: ClientCredentialsProvider;
  #token: string | undefined;
  #endsAt = Number.POSITIVE_INFINITY;

  constructor(
    private readonly target: AuthTarget,
    private readonly parts: AuthParts,
  ) {
    const { clientId = '', clientSecret = '', expectedIssuer = '' } = target.definition.oauth ?? {};
    this.#provider = new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer });
  }

  async token(): Promise<string | undefined> {
    if (this.#endsAt <= this.parts.clock.now()) await this.onUnauthorized();
    return this.#token;
  }

  sent(): readonly string[] {
    return [this.#token ?? ''];
  }

  async onUnauthorized(): Promise<void> {
    const { target, parts } = this;
    const { definition, name: server } = target;
    // Refuses what is not expected, before the secret is sent.
    const { issuer, metadata, resource } = await parts.discovery.find(definition);
    const asked = {
      metadata,
      ...compact({
        resource: resource === undefined ? undefined : new URL(resource),
        scope: definition.oauth?.scopes?.join(' '),
      }),
      fetchFn: parts.discovery.fetch(definition.url),
    };
    const tokens = await fetchToken(this.#provider, issuer, asked).catch((error: unknown) => {
      if (!(error instanceof OAuthError)) return asking(() => Promise.reject(error));
      const facts = { server, issuer, error: printable(error.code) };
      throw new OAuthLoginError('CLIENT_REFUSED', facts, { cause: error });
    });
    const { access_token: token, expires_in: seconds = Infinity } = tokens;
    this.#token = token;
    this.#endsAt = parts.clock.now() + seconds * 1_000 - EARLY_MS;
  }

  /** No person is asked: the operator decides what the deployment may do. */
  async needScopes(): Promise<never> {
    const { definition, name: server } = this.target;
    const issuer = definition.oauth?.expectedIssuer;
    throw new OAuthLoginError('SCOPE_REFUSED', { server, ...compact({ issuer }) });
  }
}
