import { Inject, Injectable } from '@nestjs/common';
import {
  ACCESS_RULES,
  type AccessRules,
  checkOrigin,
  type PageHead,
  MAX_WRONG_KEYS,
  RefusedAddresses,
  WRONG_KEYS_MS,
} from './origin/check-origin.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { LOGGER, type Logger } from '../platform/logger.js';
import {
  issuerUnavailable,
  tokenRefused,
  tooManyRefusals,
  unauthenticated,
  type KeyFault,
} from './access-errors.js';
import { IssuerAwayError } from './tokens/issuer-keys.js';
import { signedFaults, TokenError } from './tokens/token-error.js';
import { isJwtText, TokenVerifier, type VerifiedToken } from './tokens/token-verifier.js';
import { compact } from '../platform/compact.js';
import { AuditLog } from './audit-log.js';
import {
  AuthenticatorFault,
  CustomAuthenticators,
  type CustomCaller,
} from './custom-authenticators.js';
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
    private readonly audit: AuditLog,
    private readonly refused: RefusedAddresses,
    private readonly tokens: TokenVerifier,
    private readonly custom: CustomAuthenticators,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ACCESS_RULES) private readonly rules: AccessRules,
  ) {}

  /** Whether something else than keys is taken: tokens of identity providers, or what extensions look at. */
  get hasIssuers(): boolean {
    return this.tokens.hasIssuers || !this.custom.isEmpty;
  }

  /** Notes in the audit log which issuers the server takes tokens of, if that changed since its last start. */
  noteIssuers(): Promise<void> {
    return this.audit.noteIssuers(this.tokens.issuerNames, this.tokens.digest);
  }

  /** Folders that roles of identity providers open. */
  get roleRoots(): readonly string[] {
    return this.tokens.roleRoots;
  }

  /** Who may use the server, as of the last second. */
  async deployment(): Promise<Deployment> {
    return deploymentOf(await this.keys.census(), this);
  }

  /**
   * @throws TypedError UNAUTHENTICATED 401, FORBIDDEN_ROLE 403, ISSUER_UNAVAILABLE 503, RATE_LIMITED 429 for an address that sent too many wrong
   *   keys, FORBIDDEN_ORIGIN 403, UNSUPPORTED_MEDIA_TYPE 415, INVALID_REQUEST 400.
   */
  async authenticate(head: RequestHead): Promise<Principal> {
    const text = parseCredentials(head);
    const { isOpen } = await this.deployment();
    // Clients made for other servers may send a foreign key to any server.
    const isOurs = text !== undefined && isKeyText(text);
    const isToken = text !== undefined && !isOurs && this.tokens.hasIssuers && isJwtText(text);
    if (isToken && (this.custom.isEmpty || this.tokens.knowsIssuer(text))) {
      return this.#useToken(text, head);
    }
    const found = isOurs ? undefined : await this.#askExtensions(head);
    if (found !== undefined) return found;
    if (isOurs || (!isOpen && text !== undefined)) return this.#useKey(text, head);
    return isOpen ? this.#admitWithoutKey(head) : this.#refuse('missing', head);
  }

  /**
   * The principal of what a key set up to happen later, without a request.
   *
   * @param keyId null: it was set up without a key.
   * @returns the reason why the key may do nothing any more.
   */
  async principalOf(keyId: string | null): Promise<Principal | KeyFault> {
    const { host, allowKeyless, defaultLimits } = this.rules;
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

  async #useKey(text: string, head: RequestHead): Promise<Principal> {
    const { keys, refused, clock } = this;
    const { defaultLimits } = this.rules;
    const hash = hashKey(text);
    // An address that guesses keys gets no look-up for each. Keys in use at the address stay valid.
    if (!keys.hasSeen(hash)) await this.#checkAddress(head);
    const key = isKeyText(text) ? await keys.find(hash) : undefined;
    const fault = findFault(key, clock.now());
    if (key === undefined || fault !== undefined) {
      await refused.add(head.address);
      return this.#refuse(fault ?? 'unknown', head, key);
    }
    return principalOfKey(key, defaultLimits);
  }

  async #useToken(token: string, head: RequestHead): Promise<Principal> {
    const { tokens, refused, rules } = this;
    if (!tokens.hasSeen(token)) await this.#checkAddress(head);
    try {
      return principalOfToken(await tokens.verify(token), rules.defaultLimits);
    } catch (error) {
      if (error instanceof IssuerAwayError) throw issuerUnavailable(error.issuer);
      if (!(error instanceof TokenError)) throw error;
      if (!signedFaults.includes(error.fault)) await refused.add(head.address);
      const { issuer } = error.facts;
      await this.#noteRefusal(head, { reason: error.fault, ...compact({ issuer }) });
      throw tokenRefused(error);
    }
  }

  async #askExtensions(head: RequestHead): Promise<Principal | undefined> {
    try {
      const found = await this.custom.find(head);
      if (found === undefined) return undefined;
      // Browsers send cookies by themselves, also for a page of another site.
      if (headerOf(head, 'authorization') === undefined) this.#checkPage(head, { anyHost: true });
      return principalOfCustom(found.name, found.caller, this.rules.defaultLimits);
    } catch (error) {
      if (!(error instanceof AuthenticatorFault)) throw error;
      return this.#refuse('failed', head);
    }
  }

  /** @throws TypedError RATE_LIMITED for an address that sent too many wrong credentials. */
  async #checkAddress({ address }: RequestHead): Promise<void> {
    const waitMs = await this.refused.waitOf(address);
    if (waitMs !== undefined) throw tooManyRefusals(MAX_WRONG_KEYS, WRONG_KEYS_MS, waitMs);
  }

  #admitWithoutKey(head: RequestHead): Principal | Promise<Principal> {
    const { host, allowKeyless, defaultLimits } = this.rules;
    // Revoking the last key must not open a server that other machines reach.
    if (!allowKeyless && !isLoopback(host)) return this.#refuse('missing', head);
    this.#checkPage(head, { anyHost: allowKeyless });
    return localPrincipal(defaultLimits);
  }

  /** @throws TypedError FORBIDDEN_ORIGIN, UNSUPPORTED_MEDIA_TYPE for a page that may not send requests. */
  #checkPage(head: RequestHead, { anyHost }: { anyHost: boolean }): void {
    const refusal = checkOrigin(pageOf(head), { allowed: this.rules.corsOrigins, anyHost });
    if (refusal !== undefined) throw refusal;
  }

  /** Audits the refusal, and throws it. */
  async #refuse(fault: KeyFault, head: RequestHead, key?: KeyRow): Promise<never> {
    const details = { reason: fault.toUpperCase(), ...compact({ keyId: key?.id }) };
    await this.#noteRefusal(head, details, key?.principalId);
    throw unauthenticated(fault);
  }

  /** Audits a refusal, once a minute for an address. */
  async #noteRefusal(
    { address, requestId }: RequestHead,
    details: Record<string, unknown>,
    principalId = 'anonymous',
  ): Promise<void> {
    const { refused, audit, logger } = this;
    if (!(await refused.shouldNote(address))) return;
    const action = 'authentication.refused';
    await audit
      .write({ principalId, action, subject: address, details })
      .catch((error: unknown) =>
        logger.warn(
          { requestId, error },
          'could not write a refused request to the audit log; the request was refused all the same',
        ),
      );
  }
}

function principalOfKey(key: KeyRow, defaultLimits: ResolvedLimits): Principal {
  return {
    id: key.principalId,
    credential: { kind: 'key', id: key.id },
    scopes: key.scopes,
    limits: limitsOf(key.limits, defaultLimits),
    projectRoots: key.projectRoots ?? [],
  };
}

function principalOfToken(token: VerifiedToken, defaultLimits: ResolvedLimits): Principal {
  const { principalId, issuer, expiresAt, scopes, limits, projectRoots, agents } = token;
  return {
    id: principalId,
    credential: { kind: 'token', issuer, expiresAt: new Date(expiresAt) },
    scopes,
    limits: limitsOf(limits, defaultLimits),
    projectRoots,
    ...compact({ agents }),
  };
}

function principalOfCustom(
  authenticator: string,
  { principalId, scopes, limits, agents, expiresAt }: CustomCaller,
  defaultLimits: ResolvedLimits,
): Principal {
  return {
    id: principalId,
    credential: { kind: 'custom', authenticator, ...compact({ expiresAt }) },
    scopes,
    limits: limitsOf(limits, defaultLimits),
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
