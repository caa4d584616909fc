import type { Config } from '../../config/config.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import { loopbackNames } from '../../platform/net/addresses.js';
import { publicFetch, type PublicFetch } from '../../platform/net/public-fetch.js';
import type { Issuer } from './auth-file.js';
import { TokenVerifier } from './token-verifier.js';

/** A verifier that asks issuers at public addresses, on this machine, and at the hosts that are configured. */
export function openVerifier(
  issuers: readonly Issuer[],
  { authPrivateHosts }: Pick<Config, 'authPrivateHosts'>,
  options: { clock: Clock; logger: Logger },
): TokenVerifier {
  return new TokenVerifier(issuers, { fetch: issuerFetch({ authPrivateHosts }), ...options });
}

/** A `fetch` for public addresses, this machine, and the hosts that are configured. */
export function issuerFetch({
  authPrivateHosts: anywhere,
}: Pick<Config, 'authPrivateHosts'>): PublicFetch {
  return publicFetch({ privateHosts: { anywhere, loopback: loopbackNames } });
}
