import { decodeJwt } from 'jose';
import { systemClock } from '../platform/clock.js';
import type { Config } from '../config/config.js';
import type { Logger } from '../platform/logger.js';
import { withCauses } from '../platform/error-code.js';
import { compact } from '../platform/compact.js';
import { loadIssuers, type Issuer } from './tokens/auth-file.js';
import { IssuerAwayError } from './tokens/issuer-keys.js';
import { openVerifier } from './tokens/open-verifier.js';
import { TokenError } from './tokens/token-error.js';
import { groupsOf, type TokenGrant } from './tokens/token-principal.js';

/** A token as the server understands it, without the token itself. */
export interface TokenExplanation {
  /** The fault, and what to do about it; absent: there is none. */
  problem?: string;
  /** The reason as in `details.reason` of the API's error. */
  reason?: string;
  /** Name of the issuer in the file; absent: it is not in there. */
  issuer?: string;
  /** The claims as they stand in the token; not verified where there is a problem. */
  claims?: Record<string, unknown>;
  /** Groups of the person; absent: the issuer is not known. */
  groups?: readonly string[];
  /** The groups of the file that have a role which the person gets. */
  roles?: readonly string[];
  /** The rights of the person; absent: none. */
  grant?: TokenGrant;
}

/**
 * Explains a token by the issuers of a configuration.
 *
 * @throws FileInvalidError.
 */
export async function explainToken(
  token: string,
  config: Pick<Config, 'authFile' | 'authPrivateHosts'>,
  logger: Logger,
): Promise<TokenExplanation> {
  const issuers = await loadIssuers(config.authFile);
  const claims = readClaims(token);
  const issuer = issuers.find(({ issuerUrl }) => issuerUrl === claims?.['iss']);
  const known = compact({ claims, issuer: issuer?.name, ...describeGroups(issuer, claims) });
  try {
    const verifier = openVerifier(issuers, config, { clock: systemClock, logger });
    const { principalId, scopes, limits, approves, projectRoots, agents } =
      await verifier.verify(token);
    return { ...known, grant: { principalId, scopes, limits, approves, projectRoots, agents } };
  } catch (error) {
    if (error instanceof TokenError) {
      const { claim } = error.facts;
      const about = claim === undefined ? '' : ` (${claim})`;
      return { ...known, problem: `${error.message}${about}.`, reason: error.fault };
    }
    if (!(error instanceof IssuerAwayError)) throw error;
    // The last cause names the address, where the first one says only that a fetch failed.
    const why = [...withCauses(error.cause)].map((one) =>
      one instanceof Error ? one.message : String(one),
    );
    return {
      ...known,
      problem: `${error.message}: ${why.join(': ')}`,
      reason: 'ISSUER_UNAVAILABLE',
    };
  }
}

function describeGroups(issuer: Issuer | undefined, claims: TokenExplanation['claims']) {
  if (issuer === undefined || claims === undefined) return {};
  const groups = groupsOf(issuer, claims);
  const roles = issuer.roles
    .map(({ group }) => group)
    .filter((group) => group === '*' || groups.includes(group));
  return { groups, roles };
}

function readClaims(token: string): Record<string, unknown> | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}
