import { commandName } from '../../platform/process/command-name.js';
import { setTimeout as wait } from 'node:timers/promises';
import * as oidc from 'openid-client';
import type { LoginIssuerDto } from '../../access/caller.dto.js';
import { compact } from '../../platform/compact.js';
import { isLoopbackHttp } from '../../platform/net/addresses.js';
import { LoginError, loginEnded } from './login-error.js';
import type { Login } from './login-file.js';
import { fetchWithSeconds } from './read-seconds.js';

/** Life of an access token whose provider does not say it, in seconds. */
const UNKNOWN_LIFE_S = 300;
/** Time until a provider that did not answer is asked again, in ms. */
const AWAY_MS = 5_000;

/** The tokens of a log-in. */
export type Tokens = Pick<Login, 'accessToken' | 'refreshToken' | 'issuedAt' | 'expiresAt'>;

/** A code that the user types in a browser. */
export interface DeviceCode {
  userCode: string;
  url: string;
  /** The URL with the code in it, where the provider has one. */
  completeUrl: string | undefined;
  expiresInS: number;
}

/**
 * Logs in by a device code (RFC 8628): shows the code, and waits until the user has typed it in a browser.
 *
 * @param notice `show` is called once with the code; `noteAway` each time when the provider did not answer.
 * @throws LoginError LOGIN_REFUSED, LOGIN_EXPIRED, PROVIDER_AWAY, PROVIDER_FAULT.
 */
export async function logInByDevice(
  issuer: LoginIssuerDto,
  { show, noteAway }: { show(code: DeviceCode): void; noteAway(): void },
): Promise<Tokens> {
  const { name, scopes, audience, resource } = issuer;
  const provider = await openProvider(issuer);
  const asked = { scope: scopes.join(' '), ...compact({ audience, resource }) };
  const code = await oidc.initiateDeviceAuthorization(provider, asked).catch(explainAt(name));
  show({
    userCode: code.user_code,
    url: code.verification_uri,
    completeUrl: code.verification_uri_complete,
    expiresInS: code.expires_in,
  });
  const until = Date.now() + code.expires_in * 1_000;
  const awayMs = Math.min(AWAY_MS, (code.interval ?? 5) * 1_000);
  let interval = code.interval ?? 5;
  for (;;) {
    const leftMs = until - Date.now();
    if (leftMs <= 0) throw expired();
    try {
      const answer = await oidc.pollDeviceAuthorizationGrant(
        provider,
        { ...code, interval, expires_in: Math.ceil(leftMs / 1_000) },
        compact({ resource }),
      );
      return tokensOf(answer);
    } catch (error) {
      if (!isAway(error) && !isNoAnswer(error)) return explainAt(name)(error);
      const waitMs = Math.max(awayMs, retryAfterMs(error));
      if (until - Date.now() <= waitMs) throw expired();
      noteAway();
      await wait(waitMs);
      // As after `slow_down`: a provider that has too much to do is asked less often.
      interval += awayMs / 1_000;
    }
  }
}

/**
 * Gets the next access token.
 *
 * @param server its URL, for the error.
 * @throws LoginError LOGIN_ENDED, PROVIDER_AWAY, PROVIDER_FAULT.
 */
export async function renewTokens(login: Login, server: string): Promise<Tokens> {
  const { refreshToken, issuer, resource } = login;
  if (refreshToken === undefined) throw loginEnded(server);
  const provider = await openProvider({ ...login, name: issuer });
  try {
    const answer = await oidc.refreshTokenGrant(provider, refreshToken, compact({ resource }));
    // A provider that does not rotate its refresh tokens sends none.
    return { refreshToken, ...tokensOf(answer) };
  } catch (error) {
    const isEnded = error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant';
    if (isEnded) throw loginEnded(server, { cause: error });
    // The token counts until its end, whatever stands between here and the provider.
    if (isNoAnswer(error)) throw away(issuer, error);
    return explainAt(issuer)(error);
  }
}

/** Tells the provider that the log-in is over. @returns whether it has a place for that. @throws LoginError. */
export async function revokeTokens(login: Login): Promise<boolean> {
  const { issuer, refreshToken, accessToken } = login;
  const provider = await openProvider({ ...login, name: issuer });
  if (provider.serverMetadata().revocation_endpoint === undefined) return false;
  const hint = refreshToken === undefined ? 'access_token' : 'refresh_token';
  await oidc
    .tokenRevocation(provider, refreshToken ?? accessToken, { token_type_hint: hint })
    .catch(explainAt(issuer));
  return true;
}

function openProvider({
  name,
  issuerUrl,
  clientId,
}: Pick<LoginIssuerDto, 'name' | 'issuerUrl' | 'clientId'>): Promise<oidc.Configuration> {
  const url = new URL(issuerUrl);
  const execute = isLoopbackHttp(url) ? [oidc.allowInsecureRequests] : [];
  const options = { execute, [oidc.customFetch]: fetchWithSeconds };
  return oidc.discovery(url, clientId, undefined, oidc.None(), options).catch(explainAt(name));
}

function tokensOf(answer: oidc.TokenEndpointResponse): Tokens {
  const { access_token: accessToken, expires_in: life = UNKNOWN_LIFE_S } = answer;
  const issuedAt = Date.now();
  return {
    accessToken,
    issuedAt,
    expiresAt: issuedAt + life * 1_000,
    ...compact({ refreshToken: answer.refresh_token }),
  };
}

/** Statuses of a provider, or of a proxy before it, that has no time now: Request Timeout, Too Early, Too Many Requests. */
const busyStatuses = [408, 425, 429];

/** Whether nothing is wrong but the connection, or the provider for now. */
function isAway(error: unknown): boolean {
  if (error instanceof oidc.ClientError && error.code === 'OAUTH_TIMEOUT') return true;
  if (error instanceof oidc.ResponseBodyError && error.error === 'temporarily_unavailable')
    return true;
  const status = responseOf(error)?.status;
  if (status !== undefined) return status >= 500 || busyStatuses.includes(status);
  return error instanceof TypeError && error.message === 'fetch failed';
}

/** Whether the answer is none of the protocol, such as the page of a firewall. It says nothing about a code or a token. */
function isNoAnswer(error: unknown): boolean {
  return error instanceof oidc.ClientError && responseOf(error) !== undefined;
}

function responseOf(error: unknown): Response | undefined {
  if (error instanceof oidc.ResponseBodyError) return error.response;
  return error instanceof oidc.ClientError && error.cause instanceof Response
    ? error.cause
    : undefined;
}

/** How long a provider wants not to be asked, in ms; 0: it does not say. */
function retryAfterMs(error: unknown): number {
  const seconds = Number(responseOf(error)?.headers.get('retry-after') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 0;
}

/** @param name the issuer's. */
function explainAt(name: string): (error: unknown) => never {
  return (error) => {
    throw explain(name, error);
  };
}

function explain(name: string, cause: unknown): unknown {
  if (isAway(cause)) return away(name, cause);
  const refusal = refusalOf(cause);
  if (refusal !== undefined) {
    const { error, error_description: about = '' } = refusal;
    if (error === 'access_denied') {
      return new LoginError('LOGIN_REFUSED', `The log-in at ${name} was refused`, { cause });
    }
    if (error === 'expired_token') return expired();
    const message = `${name} refused the log-in: ${error} ${about}`.trim();
    const advice =
      'Tell the administrator, who can compare the block cli of the issuer with the client there';
    return new LoginError('PROVIDER_FAULT', `${message}. ${advice}`, { cause });
  }
  if (cause instanceof oidc.ClientError || cause instanceof TypeError) {
    const message = `${name} is not set up for the log-in: ${cause.message}. Tell the administrator that its client needs the device flow`;
    return new LoginError('PROVIDER_FAULT', message, { cause });
  }
  return cause;
}

/** The provider's own words, in the body or in the header `WWW-Authenticate`; undefined: it did not refuse. */
function refusalOf(cause: unknown): { error: string; error_description?: string } | undefined {
  if (cause instanceof oidc.ResponseBodyError) return cause;
  if (!(cause instanceof oidc.WWWAuthenticateChallengeError)) return undefined;
  const { error = 'invalid_client', error_description: about = '' } =
    cause.cause[0]?.parameters ?? {};
  return { error, error_description: about };
}

function away(name: string, cause: unknown): LoginError {
  const message = `The identity provider ${name} does not answer. Try again in a while`;
  return new LoginError('PROVIDER_AWAY', message, { cause });
}

function expired(): LoginError {
  return new LoginError(
    'LOGIN_EXPIRED',
    `The code was not used in time. Call ${commandName()} login again`,
  );
}
