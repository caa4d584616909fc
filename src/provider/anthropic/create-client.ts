import Anthropic from '@anthropic-ai/sdk';
import type { PrivateHosts } from '../../platform/net/addresses.js';
import { publicDispatcher, publicFetch } from '../../platform/net/public-fetch.js';
import { dispatchFetch } from '../../platform/net/dispatch-fetch.js';
import type { ProviderConfig } from '../provider-config.js';
import { privateHostsOf, type EgressTarget } from './check-egress.js';
import { guardedFetch, untracedFetch, type GuardedFetchOptions } from './egress.js';
import type { MessagesClient } from './messages-client.js';
import type { RequestProfile } from './request-profile.js';

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
 * The client of the place: the SDK's, or that of a cloud. Every option is given, so that none is taken from the
 * environment: keys, addresses, headers, log levels, tracing.
 */
export function createClient(
  { apiKey, baseUrl, origin }: ClientTarget,
  config: ProviderConfig,
  profile: RequestProfile,
): MessagesClient {
  const privateHosts = privateHostsOf(origin, config.egressPrivateHosts);
  const reach = config.fetch ?? dispatchFetch(publicDispatcher({ privateHosts }));
  const guarded = (own: Pick<GuardedFetchOptions, 'headers' | 'passing' | 'fetch'>) =>
    untracedFetch(guardedFetch({ origin, maxRetryAfterMs: MAX_RETRY_AFTER_MS, ...own }));
  const common = {
    baseURL: baseUrl,
    timeout: config.requestTimeoutMs,
    maxRetries: config.maxRetries,
    // The SDK’s span of a call ends with the head of the answer: the stream is read here, and `chat` is a span of ours.
    openTelemetry: false,
    logLevel: 'off',
  } as const;
  const { cloud } = config;
  if (cloud !== undefined) {
    return cloud.create({
      ...common,
      fetch: guarded({
        headers: {},
        passing: cloudHeaders,
        fetch: cloud.sign(profile.cloud?.hasFrames === true ? framedFetch(privateHosts) : reach),
      }),
    });
  }
  return new Anthropic({
    ...common,
    // The client needs one; what is sent is in the headers below.
    apiKey: apiKey ?? 'none',
    authToken: null,
    credentials: null,
    config: null,
    profile: null,
    webhookKey: null,
    fetch: guarded({
      headers: {
        ...keyHeaders(apiKey, profile),
        'anthropic-version': profile.apiVersion ?? API_VERSION,
      },
      fetch: reach,
    }),
  });
}

/** Headers that the clients of the clouds set. */
const cloudHeaders = [
  'anthropic-version',
  'anthropic-workspace-id',
  'authorization',
  'x-api-key',
  'x-goog-user-project',
] as const;

/** A body that the client of a cloud translates must be a web stream, which costs more. */
function framedFetch(privateHosts: PrivateHosts): typeof fetch {
  const send = publicFetch({ privateHosts });
  // Undici's response and Node's own are the same by their fields.
  return async (input, init) =>
    (await send(input instanceof Request ? input.url : input, init)) as Response;
}

function keyHeaders(
  apiKey: string | undefined,
  { authentication }: RequestProfile,
): Record<string, string> {
  if (apiKey === undefined) return {};
  const bearer = { authorization: `Bearer ${apiKey}` };
  return authentication === 'bearer' ? bearer : { ...bearer, 'x-api-key': apiKey };
}
