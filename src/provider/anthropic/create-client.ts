import Anthropic from '@anthropic-ai/sdk';
import { publicFetch } from '../../platform/net/public-fetch.js';
import { privateHostsOf } from '../egress-policy.js';
import type { RequestProfile } from '../request-profile.js';
import { guardedFetch } from './guarded-fetch.js';

/** The wire the SDK's types describe; a test fails when an update of the SDK moves it. */
export const API_VERSION = '2026-10-21';

/** A rate limit that lifts sooner is waited out inside a call, a later one ends the turn. */
const MAX_RETRY_AFTER_MS = 30_000;

export interface AnthropicClientOptions {
  apiKey: string;
  /** Checked by the egress policy. */
  baseUrl: string;
  origin: string;
  /** Hosts that may be at an address that is not public. */
  egressPrivateHosts?: readonly string[] | undefined;
  apiVersion: string | undefined;
  profile: RequestProfile;
  requestTimeoutMs: number;
  maxRetries: number;
}

/**
 * The SDK with every setting given: a key, address, header, log level or tracing option in the
 * environment has no say in it.
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
    openTelemetry: false,
    logLevel: 'off',
    fetch: guardedFetch({
      origin: options.origin,
      headers: {
        ...authentication(options),
        'anthropic-version': options.apiVersion ?? options.profile.apiVersion ?? API_VERSION,
      },
      maxRetryAfterMs: MAX_RETRY_AFTER_MS,
      fetch: publicFetch({
        privateHosts: privateHostsOf(options.origin, options.egressPrivateHosts),
      }),
    }),
  });
}

function authentication({ apiKey, profile }: AnthropicClientOptions): Record<string, string> {
  return profile.authentication === 'bearer'
    ? { authorization: `Bearer ${apiKey}` }
    : { 'x-api-key': apiKey };
}
