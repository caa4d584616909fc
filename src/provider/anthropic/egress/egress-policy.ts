import { isIP } from 'node:net';
import {
  bareHost,
  isWithin,
  portOf,
  reachOf,
  type PrivateHosts,
} from '../../../platform/net/address-rule.js';
import { isLoopbackHttp, loopbackNames } from '../../../platform/net/loopback.js';
import { parseAllowedOrigin } from '../../../config/allowed-origin.js';
import type { TypedError } from '../../../errors/typed-error.js';
import { providerError } from '../../provider-errors.js';
import type { ProviderConfig } from '../../provider-config.js';

const POLICY = 'REQ-NET-001';
const DEFAULT_ORIGIN = 'https://api.anthropic.com';

/** Whether the provider may be reached. `baseUrl` has no trailing slash; requests may only go to `origin`. */
export type EgressVerdict =
  | { ok: true; baseUrl: string; origin: string }
  | { ok: false; error: TypedError };

/**
 * Checks the configured base URL. Rules in order, the first violation wins: it is a URL; it has no
 * credentials; in rehearsal it is a loopback `http://` URL; otherwise it has an allowed origin, by
 * default `https://api.anthropic.com` alone, and no private address that `egressPrivateHosts` does
 * not list. The addresses of a name are checked when a connection is made (`guardedFetch`).
 *
 * @returns the URL to use, or a 400 `INVALID_BASE_URL` / `NETWORK_POLICY_VIOLATION`. An error never
 * repeats the whole URL, which may have a credential.
 */
export function checkEgress(
  config: Pick<ProviderConfig, 'mode' | 'baseUrl' | 'egressAllow' | 'egressPrivateHosts'>,
): EgressVerdict {
  const url = parseUrl(config.baseUrl);
  if (url === undefined) return { ok: false, error: invalidBaseUrl() };
  if (url.username !== '' || url.password !== '') {
    return refuse('must not contain credentials', { host: url.hostname });
  }
  if (config.mode === 'rehearsal') {
    if (isLoopbackHttp(url)) return { ok: true, baseUrl: url.origin, origin: url.origin };
    return refuseOrigin(
      url,
      loopbackNames.map((host) => `http://${host}`),
    );
  }
  if (config.egressAllow.length === 0) {
    if (url.origin === DEFAULT_ORIGIN) {
      return { ok: true, baseUrl: DEFAULT_ORIGIN, origin: DEFAULT_ORIGIN };
    }
    return refuseOrigin(url, [DEFAULT_ORIGIN]);
  }
  const allowed = config.egressAllow.flatMap((entry) => parseAllowedOrigin(entry) ?? []);
  if (!allowed.includes(url.origin)) return refuseOrigin(url, allowed);
  const host = bareHost(url.hostname);
  const reach = reachOf(url, privateHostsOf(url.origin, config.egressPrivateHosts));
  if (isIP(host) !== 0 && !isWithin(reach, host)) {
    return { ok: false, error: addressViolation(url.hostname) };
  }
  // A gateway may serve the API under a path of its own.
  return { ok: true, baseUrl: url.origin + gatewayPath(url), origin: url.origin };
}

/** The 400 for a request outside of the allowed origins. */
export function policyViolation(message: string, facts: Record<string, unknown>): TypedError {
  return providerError({
    case: 'refused',
    category: 'NETWORK_POLICY_VIOLATION',
    message: `${message} (${POLICY}). Correct TURNPIKE_PROVIDER_BASE_URL, or list the origin in TURNPIKE_EGRESS_ALLOW, and restart.`,
    facts: { policy: POLICY, ...facts },
  });
}

/** The 400 for an allowed host at an address that is not public. */
export function addressViolation(host: string): TypedError {
  return providerError({
    case: 'refused',
    category: 'NETWORK_POLICY_VIOLATION',
    message: `The provider's host ${host} is at an address that is not public (${POLICY}). Correct TURNPIKE_PROVIDER_BASE_URL, or list the host in TURNPIKE_EGRESS_PRIVATE_HOSTS, and restart.`,
    facts: { policy: POLICY, host },
  });
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
function refuseOrigin(url: URL, allowlist: readonly string[]): EgressVerdict {
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

function refuse(problem: string, facts: Record<string, unknown>): EgressVerdict {
  return { ok: false, error: policyViolation(`The provider base URL ${problem}`, facts) };
}

function invalidBaseUrl(): TypedError {
  return providerError({
    case: 'refused',
    category: 'INVALID_BASE_URL',
    message:
      'The provider base URL is not a URL. Set TURNPIKE_PROVIDER_BASE_URL to https://host[:port] and restart.',
  });
}

function gatewayPath(url: URL): string {
  return url.pathname
    .replace(/\/+$/, '')
    .replace(/\/v1\/messages$/, '')
    .replace(/\/+$/, '');
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
}
