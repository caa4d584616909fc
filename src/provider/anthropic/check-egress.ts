import { isIP } from 'node:net';
import {
  bareHost,
  isWithin,
  portOf,
  reachOf,
  type PrivateHosts,
  isLoopbackHttp,
  loopbackNames,
} from '../../platform/net/addresses.js';
import { parseAllowedOrigin } from '../../config/variable-forms.js';
import { compact } from '../../platform/compact.js';
import type { TypedError } from '../../errors/typed-error.js';
import { providerError } from '../provider-errors.js';
import type { ProviderConfig } from '../provider-config.js';
import { requestProfiles } from './request-profile.js';

const POLICY = 'REQ-NET-001';

/** Where requests go: `baseUrl` has no trailing slash, and they may only go to `origin`. */
export interface EgressTarget {
  baseUrl: string;
  origin: string;
}

/**
 * Checks the configured base URL. Rules in order, the first violation wins: it is a URL; it has no
 * credentials; in rehearsal it is a loopback `http://` URL; otherwise it has an allowed origin, by
 * default that of the profile's own address, or for a server that is not Anthropic any on this machine; and no
 * `http://` and no private address that `egressPrivateHosts` does not list. The addresses of a name are checked when a
 * connection is made (`guardedFetch`).
 *
 * @throws 400 `INVALID_BASE_URL` or `NETWORK_POLICY_VIOLATION`. An error never repeats the whole URL, which may have a
 * credential.
 */
export function checkEgress(
  config: Pick<
    ProviderConfig,
    'mode' | 'baseUrl' | 'egressAllow' | 'egressPrivateHosts' | 'profile' | 'ownUrl'
  >,
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
  const { name, defaultUrl } = requestProfiles[config.profile ?? 'anthropic'];
  const { ownUrl = defaultUrl } = config;
  const isDefault = config.egressAllow.length === 0;
  const allowed = isDefault
    ? [new URL(ownUrl).origin]
    : config.egressAllow.flatMap((entry) => parseAllowedOrigin(entry) ?? []);
  const isOwn = isDefault && name !== 'anthropic' && isLoopbackHttp(url);
  if (!isOwn && !allowed.includes(origin)) throw refuseOrigin(url, allowed);
  if (isDefault && name === 'anthropic') return { baseUrl: origin, origin };
  if (url.protocol === 'http:' && !isLoopbackHttp(url) && !isListed(url, config)) {
    throw refuse(
      'must not use http:// for a host that TURNPIKE_EGRESS_PRIVATE_HOSTS does not list',
      {
        host: url.hostname,
      },
    );
  }
  const host = bareHost(url.hostname);
  const reach = reachOf(url, privateHostsOf(origin, config.egressPrivateHosts));
  if (isIP(host) !== 0 && !isWithin(reach, host)) throw addressViolation(url.hostname);
  // A gateway may serve the API under a path of its own.
  return { baseUrl: origin + gatewayPath(url), origin };
}

function isListed(
  { hostname }: URL,
  { egressPrivateHosts = [] }: Pick<ProviderConfig, 'egressPrivateHosts'>,
): boolean {
  return egressPrivateHosts.includes(hostname);
}

/** The 400 for a request outside of the allowed origins. */
export function policyViolation(
  message: string,
  facts: Record<string, unknown>,
  remedy = 'Correct TURNPIKE_PROVIDER_BASE_URL, or list the origin in TURNPIKE_EGRESS_ALLOW',
  provider?: string,
): TypedError {
  return providerError({
    case: 'refused',
    category: 'NETWORK_POLICY_VIOLATION',
    ...compact({ provider }),
    message: `${message} (${POLICY}). ${remedy}, and restart.`,
    facts: { policy: POLICY, ...facts },
  });
}

/** The 400 for an allowed host at an address that is not public. */
export function addressViolation(
  host: string,
  setting = 'TURNPIKE_PROVIDER_BASE_URL',
  provider?: string,
): TypedError {
  const message = `The provider's host ${host} is at an address that is not public`;
  const remedy = `Correct ${setting}, or list the host in TURNPIKE_EGRESS_PRIVATE_HOSTS`;
  return policyViolation(message, { host }, remedy, provider);
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
