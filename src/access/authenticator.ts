import { Inject, Injectable } from '@nestjs/common';
import type { StreamAccess } from '../http/streams/stream-access.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { isLoopback } from '../platform/net/addresses.js';
import type { TrustedProxies } from '../platform/net/sender-address.js';
import type { KeyFault } from './access-errors.js';
import { ApiKeyCache } from './keys/api-key-cache.js';
import type { CredentialKind, CredentialParts } from './credentials/credential-kind.js';
import { customCredentials } from './credentials/custom-credentials.js';
import { findFault, keyCredentials, principalOfKey } from './credentials/key-credentials.js';
import { pageCredentials } from './credentials/page-credentials.js';
import {
  loginCredentials,
  principalOfPerson,
  tokenCredentials,
} from './credentials/person-credentials.js';
import { checkPage } from './credentials/request-page.js';
import { CustomAuthenticators } from './custom-authenticators.js';
import type { Voucher } from './people/grants.js';
import { LoginPeople } from './logins/login-people.js';
import { ACCESS_RULES, type AccessRules } from './origin/check-origin.js';
import { PageTokens } from './pages/page-tokens.js';
import { parseCredentials, type RequestHead } from './credentials/parse-credentials.js';
import { deploymentOf, localPrincipal, type Deployment, type Principal } from './principal.js';
import { Refusals } from './refusals.js';
import { TokenPeople, type GrantFault } from './credentials/token-people.js';
import type { TokenVerifier } from './tokens/token-verifier.js';

/** Headers that proxies add: the sender behind a proxy may be anybody. */
const forwardedBy = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/** Finds the principal of a request from its head, by the kinds of credentials that this server takes. */
@Injectable()
export class Authenticator {
  readonly #parts: CredentialParts;
  /** The kinds that are set up, in the order in which they are asked. */
  #kinds: readonly CredentialKind[] = [];
  #hasIssuers = false;
  /** Whether a server without keys answers anybody: this machine alone reaches it, or its operator allows it. */
  readonly #mayBeKeyless: boolean;

  constructor(
    private readonly keys: ApiKeyCache,
    private readonly refusals: Refusals,
    private readonly people: TokenPeople,
    custom: CustomAuthenticators,
    pages: PageTokens,
    logins: LoginPeople,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ACCESS_RULES) private readonly rules: AccessRules,
  ) {
    this.#mayBeKeyless = rules.allowKeyless || isLoopback(rules.host);
    this.#parts = { keys, refusals, people, custom, pages, logins, clock, rules };
    // Extensions register theirs before and after this.
    custom.onRegister(() => this.#list());
    this.#list();
  }

  /** Whether something else than keys is taken: tokens of identity providers, or what extensions look at. */
  get hasIssuers(): boolean {
    return this.#hasIssuers;
  }

  /** The identity providers whose tokens this process takes. */
  get issuers(): Pick<TokenVerifier, 'issuerNames' | 'digest'> {
    return this.people.tokens;
  }

  /** Proxies whose word counts about who sent a request. */
  get trustedProxies(): TrustedProxies {
    return this.rules.trustedProxies;
  }

  /** Folders that roles of identity providers open. */
  get roleRoots(): readonly string[] {
    return this.people.tokens.roleRoots;
  }

  /** Looks who may use the server, as of the last second. */
  async deployment(): Promise<Deployment> {
    return deploymentOf(await this.keys.census(), this);
  }

  /**
   * @throws TypedError UNAUTHENTICATED 401, FORBIDDEN_ROLE 403, ISSUER_UNAVAILABLE 503, RATE_LIMITED 429 for an address
   *   that sent too many wrong keys, FORBIDDEN_ORIGIN 403, UNSUPPORTED_MEDIA_TYPE 415, INVALID_REQUEST 400.
   */
  async authenticate(head: RequestHead): Promise<Principal> {
    const text = parseCredentials(head);
    const { isOpen } = await this.deployment();
    const presented = { head, text, isOpen };
    for (const kind of this.#kinds) {
      if (kind.isText && text === undefined) continue;
      const found = kind.matches(presented) ? await kind.find(presented) : undefined;
      if (found !== undefined) return found;
    }
    return isOpen ? this.#admitWithoutKey(head) : this.refusals.refuse('missing', head);
  }

  /** Finds what ends a stream that the caller reads; undefined: nothing does. */
  accessOf(principal: Principal, head: RequestHead): StreamAccess | undefined {
    const { kind } = principal.credential;
    return this.#kinds.find((one) => one.kind === kind)?.accessOf(principal, head);
  }

  /**
   * The principal of what somebody set up to happen later, without a request.
   *
   * @param voucher neither key nor grant: it was set up on an open server.
   * @returns the reason why the key, or the grant, may do nothing any more.
   */
  async principalOf({ keyId, grantId }: Voucher): Promise<Principal | KeyFault | GrantFault> {
    const { defaultLimits } = this.rules;
    if (grantId !== null) {
      const found = await this.people.findByGrant(grantId);
      return typeof found === 'string' ? found : principalOfPerson(found, defaultLimits);
    }
    if (keyId === null) {
      if (!this.#mayBeKeyless || !(await this.deployment()).isOpen) return 'missing';
      return localPrincipal(defaultLimits);
    }
    const key = await this.keys.get(keyId);
    const fault = findFault(key, this.clock.now());
    if (key === undefined || fault !== undefined) return fault ?? 'unknown';
    return principalOfKey(key, defaultLimits);
  }

  /**
   * Whether a caller without a key may create the first key: from this machine, through no proxy.
   */
  mayMakeFirstKey({ address, rawHeaders }: RequestHead): boolean {
    const isForwarded = rawHeaders.some(
      (name, at) => at % 2 === 0 && forwardedBy.includes(name.toLowerCase()),
    );
    return this.rules.takesFirstKey && !isForwarded && isLoopback(address);
  }

  /** Lists the kinds: what nobody set up is not asked for. */
  #list(): void {
    const parts = this.#parts;
    const { people, custom, logins } = parts;
    const hasTokens = people.tokens.hasIssuers;
    this.#hasIssuers = hasTokens || !custom.isEmpty;
    this.#kinds = [
      pageCredentials(parts),
      ...(hasTokens ? [tokenCredentials(parts)] : []),
      ...(logins.isOffered ? [loginCredentials(parts)] : []),
      ...(custom.isEmpty ? [] : [customCredentials(parts)]),
      keyCredentials(parts),
    ];
  }

  #admitWithoutKey(head: RequestHead): Principal | Promise<Principal> {
    const { allowKeyless, defaultLimits } = this.rules;
    // Revoking the last key must not open a server that other machines reach.
    if (!this.#mayBeKeyless) return this.refusals.refuse('missing', head);
    checkPage(head, this.rules, { anyHost: allowKeyless });
    return localPrincipal(defaultLimits);
  }
}
