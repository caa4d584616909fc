import { isIP } from 'node:net';
import Anthropic from '@anthropic-ai/sdk';
import {
  bareHost,
  isWithin,
  portOf,
  reachOf,
  type PrivateHosts,
  refusedHost,
  isLoopbackHttp,
  loopbackNames,
} from '../../platform/net/addresses.js';
import { parseAllowedOrigin } from '../../config/variable-forms.js';
import type { TypedError } from '../../errors/typed-error.js';
import { providerError } from '../provider-errors.js';
import type { ProviderConfig } from '../provider-config.js';
import { toHeaders, dispatchFetch } from '../../platform/tuned/dispatch-fetch.js';
import { retryAfterMs } from '../../platform/retry-advice.js';
import { printExact } from '../../platform/exact-json.js';
import { publicDispatcher } from '../../platform/net/public-fetch.js';
import { untraced } from '../../telemetry/tracing.js';
import type { RequestProfile } from './request-profile.js';

const POLICY = 'REQ-NET-001';
const DEFAULT_ORIGIN = 'https://api.anthropic.com';

/** Where requests go: `baseUrl` has no trailing slash, and they may only go to `origin`. */
export interface EgressTarget {
  baseUrl: string;
  origin: string;
}

/**
 * Checks the configured base URL. Rules in order, the first violation wins: it is a URL; it has no
 * credentials; in rehearsal it is a loopback `http://` URL; otherwise it has an allowed origin, by
 * default `https://api.anthropic.com` alone, and no private address that `egressPrivateHosts` does
 * not list. The addresses of a name are checked when a connection is made (`guardedFetch`).
 *
 * @throws 400 `INVALID_BASE_URL` or `NETWORK_POLICY_VIOLATION`. An error never repeats the whole URL, which may have a
 * credential.
 */
export function checkEgress(
  config: Pick<ProviderConfig, 'mode' | 'baseUrl' | 'egressAllow' | 'egressPrivateHosts'>,
): EgressTarget {
  const url = parseUrl(config.baseUrl);
  const { origin } = url;
  if (url.username !== '' || url.password !== '') {
    throw refuse('must not contain credentials', { host: url.hostname });
  }
  if (config.mode === 'rehearsal') {
    if (isLoopbackHttp(url)) return { baseUrl: origin, origin };
    throw refuseOrigin(
      url,
      loopbackNames.map((host) => `http://${host}`),
    );
  }
  if (config.egressAllow.length === 0) {
    if (origin === DEFAULT_ORIGIN) return { baseUrl: origin, origin };
    throw refuseOrigin(url, [DEFAULT_ORIGIN]);
  }
  const allowed = config.egressAllow.flatMap((entry) => parseAllowedOrigin(entry) ?? []);
  if (!allowed.includes(origin)) throw refuseOrigin(url, allowed);
  const host = bareHost(url.hostname);
  const reach = reachOf(url, privateHostsOf(origin, config.egressPrivateHosts));
  if (isIP(host) !== 0 && !isWithin(reach, host)) throw addressViolation(url.hostname);
  // A gateway may serve the API under a path of its own.
  return { baseUrl: origin + gatewayPath(url), origin };
}

/** The 400 for a request outside of the allowed origins. */
export function policyViolation(
  message: string,
  facts: Record<string, unknown>,
  remedy = 'list the origin in TURNPIKE_EGRESS_ALLOW',
): TypedError {
  return providerError({
    case: 'refused',
    category: 'NETWORK_POLICY_VIOLATION',
    message: `${message} (${POLICY}). Correct TURNPIKE_PROVIDER_BASE_URL, or ${remedy}, and restart.`,
    facts: { policy: POLICY, ...facts },
  });
}

/** The 400 for an allowed host at an address that is not public. */
function addressViolation(host: string): TypedError {
  const message = `The provider's host ${host} is at an address that is not public`;
  return policyViolation(message, { host }, 'list the host in TURNPIKE_EGRESS_PRIVATE_HOSTS');
}

/**
 * The hosts that may be at addresses that are not public: those listed, at every port, as requests go to
 * `origin` alone; and loopback where `origin` names it.
 */
export function privateHostsOf(origin: string, listed: readonly string[] = []): PrivateHosts {
  const { hostname } = new URL(origin);
  return {
    anywhere: listed.map((host) => `${host}:*`),
    loopback: loopbackNames.includes(hostname) ? [hostname] : [],
  };
}

/** Names the first part of the origin that is wrong: scheme, host, port. */
function refuseOrigin(url: URL, allowlist: readonly string[]): TypedError {
  const allowed = allowlist.map((origin) => new URL(origin));
  if (!allowed.some((origin) => origin.protocol === url.protocol)) {
    return refuse(`must not use ${url.protocol}//`, { protocol: url.protocol });
  }
  if (!allowed.some((origin) => origin.hostname === url.hostname)) {
    return refuse(`names a host that is not allowed`, { host: url.hostname, allowlist });
  }
  if (!allowed.some((origin) => origin.host === url.host)) {
    return refuse('names a port that is not allowed', { port: Number(portOf(url)) });
  }
  return refuse(`must not use ${url.protocol}// for this host`, { protocol: url.protocol });
}

function refuse(problem: string, facts: Record<string, unknown>): TypedError {
  return policyViolation(`The provider base URL ${problem}`, facts);
}

function gatewayPath(url: URL): string {
  return url.pathname
    .replace(/\/+$/, '')
    .replace(/\/v1\/messages$/, '')
    .replace(/\/+$/, '');
}

function parseUrl(text: string): URL {
  if (URL.canParse(text.trim())) return new URL(text.trim());
  throw providerError({
    case: 'refused',
    category: 'INVALID_BASE_URL',
    message:
      'The provider base URL is not a URL. Set TURNPIKE_PROVIDER_BASE_URL to https://host[:port] and restart.',
  });
}

export interface GuardedFetchOptions {
  /** The only origin that requests may go to. */
  origin: string;
  /** Headers that replace those of the caller. */
  headers: Readonly<Record<string, string>>;
  /** Longest `Retry-After` that the SDK may wait for, in ms. */
  maxRetryAfterMs: number;
  /** Sends the request. */
  fetch: typeof fetch;
}

/**
 * A `fetch` for one origin, and the last check before bytes leave the process:
 *
 * - another origin is refused with a 400 `NETWORK_POLICY_VIOLATION`, and so is a host whose address
 *   is not public
 * - a redirect is never followed: its 3xx is the answer (`redirect: 'error'` would make a network
 *   failure of it, which the SDK would send again)
 * - only the headers the API needs go out; a stray one from the environment does not
 * - an error that asks for a long pause is marked as final, so that the SDK reports it instead of
 *   sleeping for as long as the provider likes
 * - numbers in the body are those that the model wrote (`exact-json.ts`), as the SDK prints the body
 */
export function guardedFetch(options: GuardedFetchOptions): typeof fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== options.origin) {
      throw policyViolation('A request to the provider would have left the allowed origin', {
        host: url.hostname,
        allowlist: [options.origin],
      });
    }
    const headers = passHeaders(toHeaders(init?.headers), options.headers);
    const exact = typeof init?.body === 'string' ? { body: printExact(init.body) } : {};
    const request: RequestInit = { ...init, ...exact, headers, redirect: 'manual' };
    const response = await send(options.fetch, url, request);
    return response.ok || !asksForLongPause(response.headers, options.maxRetryAfterMs)
      ? response
      : withoutRetry(response);
  };
}

/** Makes a policy violation of a refused address: a retry would be refused as well. */
async function send(fetchFrom: typeof fetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetchFrom(url, init);
  } catch (error) {
    const host = refusedHost(error);
    throw host === undefined ? error : addressViolation(host);
  }
}

/** Keeps the headers about the SDK and the body, and sets the given ones. */
export function passHeaders(from: Headers, own: Readonly<Record<string, string>>): Headers {
  const headers = new Headers();
  for (const [name, value] of from) {
    if (/^(accept|content-type|user-agent|x-stainless-.*)$/.test(name)) headers.append(name, value);
  }
  for (const [name, value] of Object.entries(own)) headers.set(name, value);
  return headers;
}

export function asksForLongPause(headers: Headers, maxMs: number, nowMs = Date.now()): boolean {
  return (retryAfterMs(headers, nowMs) ?? 0) > maxMs;
}

function withoutRetry(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('x-should-retry', 'false');
  return new Response(response.body, { status: response.status, headers });
}

/** The API version of the SDK's types; a test fails when an update of the SDK changes it. */
export const API_VERSION = '2026-10-21';

/** Longest `retry-after` that the SDK waits for; a longer one ends the call. */
const MAX_RETRY_AFTER_MS = 30_000;

/** The provider, once its key is there and its address was checked. */
export interface ClientTarget extends EgressTarget {
  apiKey: string;
}

/**
 * The SDK's client with every option given, so that none is taken from the environment: keys,
 * addresses, headers, log levels, tracing.
 */
export function createClient(
  { apiKey, baseUrl, origin }: ClientTarget,
  config: ProviderConfig,
  profile: RequestProfile,
): Anthropic {
  const privateHosts = privateHostsOf(origin, config.egressPrivateHosts);
  return new Anthropic({
    apiKey,
    authToken: null,
    credentials: null,
    config: null,
    profile: null,
    webhookKey: null,
    baseURL: baseUrl,
    timeout: config.requestTimeoutMs,
    maxRetries: config.maxRetries,
    // The SDK’s span of a call ends with the head of the answer: the stream is read here, and `chat` is a span of ours.
    openTelemetry: false,
    logLevel: 'off',
    fetch: untracedFetch(
      guardedFetch({
        origin,
        headers: {
          ...(profile.authentication === 'bearer'
            ? { authorization: `Bearer ${apiKey}` }
            : { 'x-api-key': apiKey }),
          'anthropic-version': profile.apiVersion ?? API_VERSION,
        },
        maxRetryAfterMs: MAX_RETRY_AFTER_MS,
        fetch: config.fetch ?? dispatchFetch(publicDispatcher({ privateHosts })),
      }),
    ),
  });
}

/** A library that traces requests would send the ids of the trace to the provider. */
function untracedFetch(fetchFrom: typeof fetch): typeof fetch {
  return (input, init) => untraced(() => fetchFrom(input, init));
}
