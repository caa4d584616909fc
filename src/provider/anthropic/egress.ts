import Anthropic from '@anthropic-ai/sdk';
import { refusedHost } from '../../platform/net/addresses.js';
import type { ProviderConfig } from '../provider-config.js';
import { toHeaders, dispatchFetch } from '../../platform/tuned/dispatch-fetch.js';
import { retryAfterMs } from '../../platform/retry-advice.js';
import { printExact } from '../../platform/exact-json.js';
import { publicDispatcher } from '../../platform/net/public-fetch.js';
import { untraced } from '../../telemetry/tracing.js';
import {
  addressViolation,
  policyViolation,
  privateHostsOf,
  type EgressTarget,
} from './check-egress.js';
import type { RequestProfile } from './request-profile.js';

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
  /** Undefined: the server needs none. */
  apiKey: string | undefined;
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
    // The client needs one; what is sent is in the headers below.
    apiKey: apiKey ?? 'none',
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
          ...keyHeaders(apiKey, profile),
          'anthropic-version': profile.apiVersion ?? API_VERSION,
        },
        maxRetryAfterMs: MAX_RETRY_AFTER_MS,
        fetch: config.fetch ?? dispatchFetch(publicDispatcher({ privateHosts })),
      }),
    ),
  });
}

function keyHeaders(
  apiKey: string | undefined,
  { authentication }: RequestProfile,
): Record<string, string> {
  if (apiKey === undefined) return {};
  const bearer = { authorization: `Bearer ${apiKey}` };
  return authentication === 'bearer' ? bearer : { ...bearer, 'x-api-key': apiKey };
}

/** A library that traces requests would send the ids of the trace to the provider. */
function untracedFetch(fetchFrom: typeof fetch): typeof fetch {
  return (input, init) => untraced(() => fetchFrom(input, init));
}
