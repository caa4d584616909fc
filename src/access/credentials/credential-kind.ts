import type { StreamAccess } from '../../http/streams/stream-access.js';
import type { Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import type { ApiKeyCache } from '../keys/api-key-cache.js';
import type { CustomAuthenticators } from '../custom-authenticators.js';
import type { LoginPeople } from '../logins/login-people.js';
import type { AccessRules } from '../origin/check-origin.js';
import type { PageTokens } from '../pages/page-tokens.js';
import type { RequestHead } from './parse-credentials.js';
import type { Principal } from '../principal.js';
import type { Refusals } from '../refusals.js';
import type { TokenPeople } from './token-people.js';

/** The credentials that a request presents. */
export interface Presented {
  head: RequestHead;
  /** The key or token of its headers; undefined: none. */
  text: string | undefined;
  /** Whether the server is open to who has none. */
  isOpen: boolean;
}

/** A kind of credential: keys, tokens, log-ins, page tokens, or what an extension looks at. */
export interface CredentialKind {
  /** As the principal names it. */
  readonly kind: Principal['credential']['kind'];
  /** Whether a request presents it as a key or token in its headers. A request without one is not asked for it. */
  readonly isText: boolean;
  /** Whether this kind looks at the request. */
  matches(presented: Presented): boolean;
  /**
   * @returns undefined: it is of another kind after all.
   * @throws TypedError UNAUTHENTICATED 401, FORBIDDEN_ROLE 403, ISSUER_UNAVAILABLE 503, RATE_LIMITED 429 for an address
   *   that sent too many wrong ones, FORBIDDEN_ORIGIN 403.
   */
  find(presented: Presented): Promise<Principal | undefined>;
  /** The access that a stream of the principal ends with. */
  accessOf(principal: Principal, head: RequestHead): StreamAccess;
}

/** The services that the kinds work with. */
export interface CredentialParts {
  keys: ApiKeyCache;
  refusals: Refusals;
  people: TokenPeople;
  custom: CustomAuthenticators;
  pages: PageTokens;
  logins: LoginPeople;
  clock: Clock;
  rules: AccessRules;
}

/** Access that ends with its credential, or when that of the principal is ended from now on. */
export function accessUntilEnded(
  { pages, clock }: Pick<CredentialParts, 'pages' | 'clock'>,
  { id, credential }: Principal,
): StreamAccess {
  const { expiresAt } = 'expiresAt' in credential ? credential : {};
  const since = clock.now();
  return { hasEnded: () => pages.hasEndedSince(id, since), ...compact({ expiresAt }) };
}
