import * as client from 'openid-client';
import { TtlCache } from '../../platform/async/ttl-cache.js';
import { compact } from '../../platform/compact.js';
import type { Clock } from '../../platform/clock.js';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
import type { PublicFetch } from '../../platform/net/public-fetch.js';
import { groupsOf } from '../tokens/token-principal.js';
import { IssuerAwayError } from '../tokens/issuer-keys.js';
import type { ConsoleClient, Issuer } from '../tokens/auth-file.js';
import { LoginError, type LoginFault } from './login-error.js';

/** Age at which a discovery document is read again, in ms. */
const FRESH_MS = 600_000;
const TIMEOUT_S = 5;
const MAX_ANSWER_BYTES = 256 * 1024;
/** How far the clocks of the server and of a provider may be apart, in seconds. */
const CLOCK_TOLERANCE_S = 30;
const MAX_SHOWN_CHARS = 200;

/** An identity provider that people log in with. */
export type ConsoleIssuer = Issuer & { console: ConsoleClient };

/** Claims about a person who has logged in. */
export type PersonClaims = client.IDToken;

/** The secrets of a log-in that has begun, by which its end is checked. */
export interface FlowSecrets {
  state: string;
  nonce: string;
  verifier: string;
}

/** The console as a client of one identity provider: the code flow of OpenID Connect, with PKCE. */
export class ProviderClient {
  readonly #configurations: TtlCache<client.Configuration>;

  /** @param secret of the client; undefined: it is public. */
  constructor(
    private readonly issuer: ConsoleIssuer,
    private readonly secret: string | undefined,
    private readonly options: { fetch: PublicFetch; clock: Clock },
  ) {
    this.#configurations = new TtlCache(options.clock, FRESH_MS);
  }

  newSecrets(): FlowSecrets {
    return {
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier: client.randomPKCECodeVerifier(),
    };
  }

  /** The address of the provider at which a person logs in. @throws IssuerAwayError. */
  async authorizationUrl(
    redirectUri: string,
    { state, nonce, verifier }: FlowSecrets,
  ): Promise<string> {
    const configuration = await this.#configuration();
    const asked = {
      redirect_uri: redirectUri,
      scope: this.issuer.console.scopes.join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    return client.buildAuthorizationUrl(configuration, asked).href;
  }

  /**
   * Takes the answer of the provider, which has a code for tokens. They are dropped when their claims are read.
   *
   * @param answer the URL that the provider sent the browser to.
   * @throws LoginError; IssuerAwayError.
   */
  async claimsOf(answer: URL, { state, nonce, verifier }: FlowSecrets): Promise<PersonClaims> {
    const configuration = await this.#configuration();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier };
    try {
      const tokens = await client.authorizationCodeGrant(configuration, answer, checks);
      const claims = tokens.claims();
      if (claims === undefined) throw new LoginError('WRONG_TOKEN', { issuer: this.issuer.name });
      const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
      // Many providers leave groups out of ID tokens.
      if (userinfo === undefined || groupsOf(this.issuer, claims).length > 0) return claims;
      const more = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { ...more, ...claims };
    } catch (error) {
      throw this.#faultOf(error);
    }
  }

  /**
   * The address of the provider at which a person logs out of it too.
   *
   * @returns undefined where the provider has none, or does not answer.
   */
  async endSessionUrl(returnUrl: string): Promise<string | undefined> {
    try {
      const configuration = await this.#configuration();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return undefined;
      const asked = { post_logout_redirect_uri: returnUrl };
      return client.buildEndSessionUrl(configuration, asked).href;
    } catch (error) {
      if (error instanceof IssuerAwayError) return undefined;
      throw error;
    }
  }

  #configuration(): Promise<client.Configuration> {
    return this.#configurations.get('all', async () => {
      try {
        return await this.#discover();
      } catch (error) {
        throw new IssuerAwayError(this.issuer.name, { cause: error });
      }
    });
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, secret } = this;
    const url = new URL(issuer.issuerUrl);
    const { clientId, clientAuth } = issuer.console;
    const authentication =
      clientAuth === 'post' ? client.ClientSecretPost : client.ClientSecretBasic;
    const execute = [client.enableNonRepudiationChecks];
    return client.discovery(
      url,
      clientId,
      { [client.clockTolerance]: CLOCK_TOLERANCE_S },
      secret === undefined ? client.None() : authentication(secret),
      {
        [client.customFetch]: (where, asked) => this.#fetch(where, asked),
        timeout: TIMEOUT_S,
        execute: isLoopbackHttp(url) ? [...execute, client.allowInsecureRequests] : execute,
      },
    );
  }

  /** Under the rules for addresses; an answer of any size is not read whole. */
  async #fetch(
    url: string,
    { method, headers, body, signal }: client.CustomFetchOptions,
  ): Promise<Response> {
    const text = body instanceof URLSearchParams ? body.toString() : null;
    const asked = { method, headers, body: text, ...compact({ signal }) };
    const answer = await this.options.fetch(url, asked);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of answer.body ?? []) {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) throw new Error(`${url} answered with more than 256 KiB`);
      chunks.push(chunk);
    }
    const { status } = answer;
    const isEmpty = [204, 205, 304].includes(status);
    return new Response(isEmpty ? null : Buffer.concat(chunks), {
      status,
      headers: [...answer.headers],
    });
  }

  #faultOf(error: unknown): unknown {
    const { name: issuer } = this.issuer;
    if (error instanceof LoginError || error instanceof IssuerAwayError) return error;
    const refused = (fault: LoginFault, said?: string) =>
      new LoginError(
        fault,
        { issuer, ...compact({ error: said && printable(said) }) },
        { cause: error },
      );
    if (error instanceof client.AuthorizationResponseError) {
      return refused('PROVIDER_REFUSED', wordsOf(error));
    }
    if (error instanceof client.ResponseBodyError && error.status < 500) {
      return refused('CODE_REFUSED', wordsOf(error));
    }
    // So a provider refuses the secret of a client that came in the header.
    if (error instanceof client.WWWAuthenticateChallengeError && error.status < 500) {
      const { error: why = 'invalid_client', error_description: more } =
        error.cause[0]?.parameters ?? {};
      return refused(
        'CODE_REFUSED',
        wordsOf({ error: why, ...compact({ error_description: more }) }),
      );
    }
    const code = error instanceof client.ClientError ? error.code : undefined;
    if (code !== undefined && tokenCodes.has(code)) return refused('WRONG_TOKEN');
    return new IssuerAwayError(issuer, { cause: error });
  }
}

/** Codes of the library for an answer that is not what was asked for. */
const tokenCodes: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_PARSE_ERROR',
]);

function wordsOf(refusal: { error: string; error_description?: string }): string {
  const { error, error_description: more } = refusal;
  return more === undefined ? error : `${error}: ${more}`;
}

/** A text of another server, for people. */
function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ').slice(0, MAX_SHOWN_CHARS);
}

/** The name of a person as the provider shows it. Pure. */
export function nameOf(claims: PersonClaims): string | undefined {
  const { name, preferred_username: user, email } = claims;
  const found = [name, user, email].find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof found === 'string' ? printable(found.trim()) : undefined;
}

/** The first claim that is not what `required` says; undefined: all are. Pure. */
export function findWrongClaim(
  claims: PersonClaims,
  { required }: Pick<ConsoleClient, 'required'>,
): { claim: string; isMissing: boolean } | undefined {
  const found = Object.entries(required).find(([claim, value]) => claims[claim] !== value);
  if (found === undefined) return undefined;
  const [claim] = found;
  return { claim, isMissing: claims[claim] === undefined };
}
