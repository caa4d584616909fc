import Anthropic from '@anthropic-ai/sdk';
import { dispatchFetch } from '../../../platform/net/dispatch-fetch.js';
import { publicDispatcher } from '../../../platform/net/public-fetch.js';
import { untraced } from '../../../tracing/tracing.js';
import { privateHostsOf } from './egress-policy.js';
import type { RequestProfile } from '../request/request-profile.js';
import { guardedFetch } from './guarded-fetch.js';

/** The API version of the SDK's types; a test fails when an update of the SDK changes it. */
export const API_VERSION = '2026-10-21';

/** Longest `retry-after` that the SDK waits for; a longer one ends the call. */
const MAX_RETRY_AFTER_MS = 30_000;

export interface AnthropicClientOptions {
  apiKey: string;
  /** The URL that the egress policy has checked. */
  baseUrl: string;
  origin: string;
  /** Hosts that may be at addresses that are not public. */
  egressPrivateHosts?: readonly string[] | undefined;
  apiVersion: string | undefined;
  profile: RequestProfile;
  requestTimeoutMs: number;
  maxRetries: number;
  /** Sends the requests. Absent: a `dispatchFetch` that reaches public addresses only. */
  fetch?: typeof fetch | undefined;
}

/**
 * The SDK's client with every option given, so that none is taken from the environment: keys,
 * addresses, headers, log levels, tracing.
 */
export function createClient(options: AnthropicClientOptions): Anthropic {
  return new Anthropic({
    apiKey: options.apiKey,
    authToken: null,
    credentials: null,
    config: null,
    profile: null,
    webhookKey: null,
    baseURL: options.baseUrl,
    timeout: options.requestTimeoutMs,
    maxRetries: options.maxRetries,
    // The SDK’s span of a call ends with the head of the answer, as the stream is read here: decision 66.
    openTelemetry: false,
    logLevel: 'off',
    fetch: untracedFetch(
      guardedFetch({
        origin: options.origin,
        headers: {
          ...authentication(options),
          'anthropic-version': options.apiVersion ?? options.profile.apiVersion ?? API_VERSION,
        },
        maxRetryAfterMs: MAX_RETRY_AFTER_MS,
        fetch:
          options.fetch ??
          dispatchFetch(
            publicDispatcher({
              privateHosts: privateHostsOf(options.origin, options.egressPrivateHosts),
            }),
          ),
      }),
    ),
  });
}

/** A library that traces requests would send the ids of the trace to the provider. */
function untracedFetch(fetchFrom: typeof fetch): typeof fetch {
  return (input, init) => untraced(() => fetchFrom(input, init));
}

function authentication({ apiKey, profile }: AnthropicClientOptions): Record<string, string> {
  return profile.authentication === 'bearer'
    ? { authorization: `Bearer ${apiKey}` }
    : { 'x-api-key': apiKey };
}
