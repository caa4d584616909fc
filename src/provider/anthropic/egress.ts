import { refusedHost } from '../../platform/net/addresses.js';
import { toHeaders } from '../../platform/net/dispatch-fetch.js';
import { retryAfterMs } from '../../platform/retry-advice.js';
import { printExact } from '../../platform/exact-json.js';
import { untraced } from '../../telemetry/tracing.js';
import { addressViolation, policyViolation } from './check-egress.js';

export interface GuardedFetchOptions {
  /** The only origin that requests may go to. */
  origin: string;
  /** Headers of the caller that pass, in addition to those about the SDK and the body. Default: none. */
  passing?: readonly string[];
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
    const headers = passHeaders(toHeaders(init?.headers), options.headers, options.passing);
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
export function passHeaders(
  from: Headers,
  own: Readonly<Record<string, string>>,
  passing: readonly string[] = [],
): Headers {
  const headers = new Headers();
  for (const [name, value] of from) {
    const isPassed = /^(accept|content-type|user-agent|x-stainless-.*)$/.test(name);
    if (isPassed || passing.includes(name)) headers.append(name, value);
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

/** A library that traces requests would send the ids of the trace to the provider. */
export function untracedFetch(fetchFrom: typeof fetch): typeof fetch {
  return (input, init) => untraced(() => fetchFrom(input, init));
}
