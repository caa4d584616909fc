import { Inject, Injectable } from '@nestjs/common';
import {
  ACCESS_RULES,
  type AccessRules,
  checkOrigin,
  type PageHead,
} from './origin/check-origin.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import {
  accessEnded,
  issuerUnavailable,
  pageTokenRefused,
  tokenRefused,
  type KeyFault,
} from './access-errors.js';
import { isPageTokenText, PageTokenError } from './pages/page-token.js';
import { PageTokens, type OpenedToken } from './pages/page-tokens.js';
import { IssuerAwayError } from './tokens/issuer-keys.js';
import { signedFaults, TokenError } from './tokens/token-error.js';
import { isJwtText, type TokenVerifier } from './tokens/token-verifier.js';
import { compact } from '../platform/compact.js';
import type { StreamAccess } from '../http/streams/stream-access.js';
import { Refusals } from './refusals.js';
import {
  AuthenticatorFault,
  CustomAuthenticators,
  type CustomCaller,
} from './custom-authenticators.js';
import type { Voucher } from './grants.js';
import { dropCookie } from './logins/login-cookies.js';
import { LoginPeople } from './logins/login-people.js';
import { TokenPeople, type GrantFault, type TokenPerson } from './token-people.js';
import { hashKey, isKeyText } from './key-secret.js';
import type { KeyRow } from './key.dto.js';
import { ApiKeyCache } from './api-key-cache.js';
import { isLoopback } from '../platform/net/addresses.js';
import {
  deploymentOf,
  limitsOf,
  localPrincipal,
  type Deployment,
  type Principal,
  type ResolvedLimits,
} from './principal.js';
import { parseCredentials, type RequestHead } from './parse-credentials.js';

/** Headers that proxies add: the sender behind a proxy may be anybody. */
const forwardedBy = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'];

/** Finds the principal of a request from its head. */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: ApiKeyCache,
    private readonly refusals: Refusals,
    private readonly people: TokenPeople,
    private readonly custom: CustomAuthenticators,
    private readonly pages: PageTokens,
    private readonly logins: LoginPeople,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ACCESS_RULES) private readonly rules: AccessRules,
  ) {}

  /** Whether something else than keys is taken: tokens of identity providers, or what extensions look at. */
  get hasIssuers(): boolean {
    return this.people.tokens.hasIssuers || !this.custom.isEmpty;
  }

  /** The identity providers whose tokens this process takes. */
  get issuers(): Pick<TokenVerifier, 'issuerNames' | 'digest'> {
    return this.people.tokens;
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
    if (text !== undefined && isPageTokenText(text)) return this.#usePageToken(text, head);
    // Clients made for other servers may send a foreign key to any server.
    const isOurs = text !== undefined && isKeyText(text);
    const isToken =
      text !== undefined && !isOurs && this.people.tokens.hasIssuers && isJwtText(text);
    if (isToken && (this.custom.isEmpty || this.people.tokens.knowsIssuer(text))) {
      return this.#useToken(text, head);
    }
    const cookie = text === undefined ? this.#cookieOf(head) : undefined;
    if (cookie !== undefined) return this.#useLogin(cookie, head);
    const found = isOurs ? undefined : await this.#askExtensions(head);
    if (found !== undefined) return found;
    if (isOurs || (!isOpen && text !== undefined)) return this.#useKey(text, head);
    return isOpen ? this.#admitWithoutKey(head) : this.refusals.refuse('missing', head);
  }

  /** Finds what ends a stream that the caller reads; undefined: nothing does. */
  accessOf({ id, credential }: Principal, head: RequestHead): StreamAccess | undefined {
    if (credential.kind === 'none') return undefined;
    if (credential.kind === 'key') {
      const { id: keyId } = credential;
      return { hasEnded: () => this.#hasKeyEnded(keyId) };
    }
    if (credential.kind === 'login') {
      const { id: loginId, expiresAt } = credential;
      return { expiresAt, hasEnded: () => this.logins.hasEnded(loginId) };
    }
    const { expiresAt } = 'expiresAt' in credential ? credential : {};
    const since = this.clock.now();
    const token = credential.kind === 'page' ? parseCredentials(head) : undefined;
    const hasEnded = () =>
      token === undefined ? this.pages.hasEndedSince(id, since) : this.pages.hasEnded(token);
    return { hasEnded, ...compact({ expiresAt }) };
  }

  /**
   * The principal of what somebody set up to happen later, without a request.
   *
   * @param voucher neither key nor grant: it was set up on an open server.
   * @returns the reason why the key, or the grant, may do nothing any more.
   */
  async principalOf({ keyId, grantId }: Voucher): Promise<Principal | KeyFault | GrantFault> {
    const { host, allowKeyless, defaultLimits } = this.rules;
    if (grantId !== null) return this.#useGrant(grantId);
    if (keyId === null) {
      const isReachable = allowKeyless || isLoopback(host);
      if (!isReachable || !(await this.deployment()).isOpen) return 'missing';
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

  /** Whether a key was revoked, or has expired, as of the last second. */
  async #hasKeyEnded(keyId: string): Promise<boolean> {
    return findFault(await this.keys.findById(keyId), this.clock.now()) !== undefined;
  }

  async #useKey(text: string, head: RequestHead): Promise<Principal> {
    const { keys, refusals, clock } = this;
    const { defaultLimits } = this.rules;
    const hash = hashKey(text);
    // An address that guesses keys gets no look-up for each. Keys in use at the address stay valid.
    if (!keys.hasSeen(hash)) await this.refusals.checkAddress(head);
    const key = isKeyText(text) ? await keys.find(hash) : undefined;
    const fault = findFault(key, clock.now());
    if (key === undefined || fault !== undefined) {
      await refusals.count(head);
      const isOpaque = this.people.tokens.hasIssuers && this.custom.isEmpty && !isKeyText(text);
      return this.refusals.refuse(isOpaque ? 'opaque' : (fault ?? 'unknown'), head, key);
    }
    return principalOfKey(key, defaultLimits);
  }

  async #useGrant(id: string): Promise<Principal | GrantFault> {
    const found = await this.people.findByGrant(id);
    return typeof found === 'string' ? found : principalOfPerson(found, this.rules.defaultLimits);
  }

  async #useToken(token: string, head: RequestHead): Promise<Principal> {
    const { people, refusals, rules } = this;
    if (!people.tokens.hasSeen(token)) await refusals.checkAddress(head);
    try {
      return principalOfPerson(await people.findByToken(token), rules.defaultLimits);
    } catch (error) {
      if (error instanceof IssuerAwayError) throw issuerUnavailable(error.issuer);
      if (!(error instanceof TokenError)) throw error;
      if (!signedFaults.includes(error.fault)) await refusals.count(head);
      const { issuer } = error.facts;
      await this.refusals.note(head, { reason: error.fault, ...compact({ issuer }) });
      throw tokenRefused(error);
    }
  }

  #cookieOf(head: RequestHead): string | undefined {
    return this.logins.cookieOf({ host: headerOf(head, 'host'), sent: headerOf(head, 'cookie') });
  }

  async #useLogin(secret: string, head: RequestHead): Promise<Principal> {
    const { logins, refusals, rules } = this;
    const refusal = checkOrigin(pageOf(head), { anyHost: true, ownPages: true });
    if (refusal !== undefined) throw refusal;
    const isOurs = await logins.isOurs(secret);
    if (!isOurs) {
      await refusals.checkAddress(head);
      await refusals.count(head);
    }
    try {
      const person = isOurs ? await logins.find(secret) : undefined;
      if (person !== undefined) return principalOfPerson(person, rules.defaultLimits);
    } catch (error) {
      if (!(error instanceof TokenError)) throw error;
      const { fault, facts, principalId } = error;
      await refusals.note(
        head,
        { reason: fault, ...compact({ issuer: facts.issuer }) },
        principalId,
      );
      throw tokenRefused(error);
    }
    await refusals.note(head, { reason: 'LOGIN_ENDED' });
    // The browser would send it with each request of the page.
    const dropped = dropCookie('login', headerOf(head, 'host') ?? '');
    throw refusals.unauthenticated('login_ended', { 'Set-Cookie': dropped });
  }

  async #askExtensions(head: RequestHead): Promise<Principal | undefined> {
    try {
      const found = await this.custom.find(head);
      if (found === undefined) return undefined;
      // Browsers send cookies by themselves, also for a page of another site.
      if (headerOf(head, 'authorization') === undefined) this.#checkPage(head, { anyHost: true });
      await this.#checkCaller(found, head);
      return principalOfCustom(found.name, found.caller, this.rules.defaultLimits);
    } catch (error) {
      if (!(error instanceof AuthenticatorFault)) throw error;
      return this.refusals.refuse('failed', head);
    }
  }

  /** @throws TypedError UNAUTHENTICATED 401 for somebody whose access was ended since the log-in. */
  async #checkCaller(
    { name, caller }: { name: string; caller: CustomCaller },
    head: RequestHead,
  ): Promise<void> {
    const { principalId, issuedAt } = caller;
    if (!(await this.people.hasLeft(principalId, issuedAt))) return;
    await this.refusals.note(head, { reason: 'ENDED', authenticator: name });
    throw accessEnded();
  }

  async #usePageToken(token: string, head: RequestHead): Promise<Principal> {
    const { pages, refusals, rules } = this;
    let isSigned = false;
    try {
      const claims = await pages.open(token);
      isSigned = true;
      const origin = headerOf(head, 'origin');
      // A browser sends none with the requests of a page to its own server.
      if (claims.origin !== undefined && origin !== undefined && origin !== claims.origin) {
        throw new PageTokenError('WRONG_ORIGIN');
      }
      return principalOfPage(await pages.check(claims), rules.defaultLimits);
    } catch (error) {
      if (!(error instanceof PageTokenError)) throw error;
      if (!isSigned) {
        await this.refusals.checkAddress(head);
        await refusals.count(head);
      }
      await this.refusals.note(head, { reason: `PAGE_TOKEN_${error.fault}` });
      throw pageTokenRefused(error);
    }
  }

  #admitWithoutKey(head: RequestHead): Principal | Promise<Principal> {
    const { host, allowKeyless, defaultLimits } = this.rules;
    // Revoking the last key must not open a server that other machines reach.
    if (!allowKeyless && !isLoopback(host)) return this.refusals.refuse('missing', head);
    this.#checkPage(head, { anyHost: allowKeyless });
    return localPrincipal(defaultLimits);
  }

  /** @throws TypedError FORBIDDEN_ORIGIN, UNSUPPORTED_MEDIA_TYPE for a page that may not send requests. */
  #checkPage(head: RequestHead, { anyHost }: { anyHost: boolean }): void {
    const refusal = checkOrigin(pageOf(head), { allowed: this.rules.corsOrigins, anyHost });
    if (refusal !== undefined) throw refusal;
  }
}

function principalOfKey(key: KeyRow, defaultLimits: ResolvedLimits): Principal {
  return {
    id: key.principalId,
    credential: { kind: 'key', id: key.id },
    scopes: key.scopes,
    limits: limitsOf(key.limits, defaultLimits),
    approves: key.approves ?? [],
    projectRoots: key.projectRoots ?? [],
  };
}

/** A page token can do what its key can now, of what it was made for. Folders of the key are its own principal's. */
function principalOfPage({ claims, key }: OpenedToken, defaultLimits: ResolvedLimits): Principal {
  const { id: tokenId, principal: id, session: sessionId, agents, expiresAt } = claims;
  const bound = compact({ sessionId });
  return {
    id,
    credential: { kind: 'page', id: key.id, tokenId, expiresAt: new Date(expiresAt), ...bound },
    scopes: claims.scopes.filter((scope) => key.scopes.includes(scope)),
    limits: limitsOf(key.limits, defaultLimits),
    approves: (claims.approves ?? []).filter((role) => key.approves?.includes(role) === true),
    projectRoots: id === key.principalId ? (key.projectRoots ?? []) : [],
    ...compact({ agents }),
  };
}

function principalOfPerson(
  { id, credential, rights }: TokenPerson,
  defaultLimits: ResolvedLimits,
): Principal {
  const { scopes, limits, approves, projectRoots, agents } = rights;
  return {
    id,
    credential,
    scopes,
    limits: limitsOf(limits, defaultLimits),
    approves,
    projectRoots,
    ...compact({ agents }),
  };
}

function principalOfCustom(
  authenticator: string,
  { principalId, scopes, limits, approves, agents, expiresAt }: CustomCaller,
  defaultLimits: ResolvedLimits,
): Principal {
  return {
    id: principalId,
    credential: { kind: 'custom', authenticator, ...compact({ expiresAt }) },
    scopes,
    limits: limitsOf(limits, defaultLimits),
    approves,
    projectRoots: [],
    ...compact({ agents }),
  };
}

function findFault(key: KeyRow | undefined, now: number): KeyFault | undefined {
  if (key === undefined) return 'unknown';
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt.getTime() <= now ? 'expired' : undefined;
}

function pageOf(head: RequestHead): PageHead {
  const length = headerOf(head, 'content-length');
  return {
    method: head.method,
    host: headerOf(head, 'host'),
    origin: headerOf(head, 'origin'),
    site: headerOf(head, 'sec-fetch-site'),
    contentType: headerOf(head, 'content-type'),
    hasBody: (length ?? '0') !== '0' || headerOf(head, 'transfer-encoding') !== undefined,
  };
}

function headerOf({ rawHeaders }: RequestHead, wanted: string): string | undefined {
  const at = rawHeaders.findIndex((name, i) => i % 2 === 0 && name.toLowerCase() === wanted);
  return at < 0 ? undefined : rawHeaders[at + 1];
}
