import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { lockKey } from '../../storage/statements.js';
import { AuditLog } from '../audit-log.js';
import { Grants } from '../grants.js';
import { PrincipalEpochs, wasIssuedBefore } from '../principal-epochs.js';
import { Refusals } from '../refusals.js';
import { IssuerAwayError } from '../tokens/issuer-keys.js';
import { TokenError } from '../tokens/token-error.js';
import { grantOf, groupsOf } from '../tokens/token-principal.js';
import { BEGUN_MS, openBegun, returnPath, sealBegun } from './begun-login.js';
import { LoginError, type LoginFault } from './login-error.js';
import { Logins, type LoginRow, type NewLogin } from './logins.js';
import { findWrongClaim, nameOf, type PersonClaims } from './provider-client.js';
import { ConsoleIssuers, type ConsoleProvider } from './console-issuers.js';

/** Who sends a request that is about a log-in. */
export interface LoginSender {
  /** Remote address of the connection. */
  address: string;
  requestId?: string;
}

/** People log in with an identity provider, and out. */
@Injectable()
export class ConsoleLogins {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly issuers: ConsoleIssuers,
    private readonly logins: Logins,
    private readonly grants: Grants,
    private readonly epochs: PrincipalEpochs,
    private readonly audit: AuditLog,
    private readonly refusals: Refusals,
  ) {}

  /** Whether people can log in with an identity provider. */
  get isOffered(): boolean {
    return this.issuers.names.length > 0;
  }

  /**
   * Begins a log-in.
   *
   * @param returnTo path that the person comes back to; a part of the address, not to be trusted.
   * @returns where the provider logs people in, and what the browser keeps until then.
   * @throws LoginError UNKNOWN_ISSUER; IssuerAwayError.
   */
  async begin(
    name: string,
    { redirectUri, returnTo }: { redirectUri: string; returnTo: unknown },
  ): Promise<{ url: string; begun: string }> {
    const { client } = this.#providerOf(name);
    const secrets = client.newSecrets();
    const url = await client.authorizationUrl(redirectUri, secrets);
    const expiresAt = this.clock.now() + BEGUN_MS;
    const begun = { ...secrets, issuer: name, returnTo: returnPath(returnTo), expiresAt };
    return { url, begun: sealBegun(begun, await this.logins.key()) };
  }

  /**
   * Finishes a log-in. A log-in that the browser had before is ended.
   *
   * @param answer the URL that the provider sent the browser to.
   * @returns the value of the new cookie, and the path that the person comes back to.
   * @throws LoginError; TokenError NO_ROLE and others about claims; IssuerAwayError; TypedError RATE_LIMITED.
   */
  async finish(
    name: string,
    browser: { answer: URL; begun: string | undefined; login: string | undefined },
    sender: LoginSender,
  ): Promise<{ secret: string; returnTo: string }> {
    await this.refusals.checkAddress(sender);
    try {
      const begun = openBegun(browser.begun, await this.logins.key(), this.clock.now());
      const { searchParams } = browser.answer;
      if (begun.issuer !== name || searchParams.get('state') !== begun.state) {
        throw new LoginError('WRONG_STATE', { issuer: name });
      }
      const { issuer, client } = this.#providerOf(name);
      const claims = await client.claimsOf(browser.answer, begun);
      const { secret } = await this.#store(personOf(issuer, claims), browser.login);
      return { secret, returnTo: begun.returnTo };
    } catch (error) {
      await this.#noteRefusal(error, name, sender);
      throw error;
    }
  }

  /**
   * Ends a log-in, also one that has ended.
   *
   * @param returnUrl that the provider sends the browser to after its own log-out.
   * @returns the address of that log-out; undefined: the provider has none.
   */
  async end(secret: string, returnUrl: string): Promise<string | undefined> {
    const ended = await this.db.transaction((tx) => this.#endIn(tx, secret, 'requested'));
    this.logins.forget();
    return ended && this.issuers.find(ended.issuer)?.client.endSessionUrl(returnUrl);
  }

  #providerOf(name: string): ConsoleProvider {
    const provider = this.issuers.find(name);
    if (provider === undefined) throw new LoginError('UNKNOWN_ISSUER');
    return provider;
  }

  async #store(
    login: NewLogin,
    before: string | undefined,
  ): Promise<{ secret: string; row: LoginRow }> {
    const { principalId, issuer, issuedAt, groups } = login;
    const made = await this.db.transaction(async (tx) => {
      // Nobody ends the access of the principal meanwhile.
      await lockKey(tx, 'principal', principalId);
      if (wasIssuedBefore(issuedAt, await this.epochs.load(principalId, tx))) {
        throw new LoginError('ENDED', { issuer });
      }
      if (before !== undefined) await this.#endIn(tx, before, 'replaced');
      const begun = await this.logins.begin(tx, login);
      const { id: subject, expiresAt } = begun.row;
      const details = { issuer, credential: 'login', expiresAt: expiresAt.toISOString() };
      await this.audit.write({ principalId, action: 'login.succeeded', subject, details }, tx);
      return begun;
    });
    this.logins.forget();
    this.grants.noteToken(principalId, { issuer, groups, issuedAt });
    return made;
  }

  async #endIn(
    tx: Parameters<Logins['end']>[0],
    secret: string,
    reason: 'requested' | 'replaced',
  ): Promise<LoginRow | undefined> {
    const ended = await this.logins.end(tx, secret);
    if (ended === undefined) return undefined;
    const { id: subject, principalId, issuer } = ended;
    const details = { issuer, credential: 'login', reason };
    await this.audit.write({ principalId, action: 'login.ended', subject, details }, tx);
    return ended;
  }

  /** Of a log-in that failed: the reason, without what the provider or the browser sent. */
  async #noteRefusal(error: unknown, name: string, sender: LoginSender): Promise<void> {
    if (error instanceof IssuerAwayError) {
      this.logger.warn(
        { issuer: name, error },
        'could not ask an identity provider about a log-in; the person was told to try again',
      );
      return;
    }
    const isKnown = error instanceof LoginError || error instanceof TokenError;
    if (!isKnown) return;
    const principalId = error instanceof TokenError ? error.principalId : undefined;
    if (principalId !== undefined) this.grants.noteLostRoles(principalId);
    // Somebody whom the provider did log in guesses nothing.
    const isGuess = error instanceof LoginError && !personFaults.includes(error.fault);
    if (isGuess) await this.refusals.count(sender);
    if (error instanceof LoginError && error.cause !== undefined) {
      const { fault, cause } = error;
      this.logger.warn(
        { issuer: name, reason: fault, error: cause },
        'an identity provider sent a person back without a log-in; the person was told why',
      );
    }
    const details = {
      reason: error.fault,
      ...compact({ issuer: this.issuers.find(name) && name }),
    };
    await this.refusals.note(sender, details, principalId, 'login.refused');
  }
}

const personFaults: readonly LoginFault[] = ['MISSING_CLAIM', 'WRONG_CLAIM', 'ENDED'];

/** The person of an ID token, with the groups whose roles are looked up at each request. Pure. @throws LoginError; TokenError. */
function personOf(issuer: ConsoleProvider['issuer'], claims: PersonClaims): NewLogin {
  const wrong = findWrongClaim(claims, issuer.console);
  if (wrong !== undefined) {
    const { claim, isMissing } = wrong;
    throw new LoginError(isMissing ? 'MISSING_CLAIM' : 'WRONG_CLAIM', {
      issuer: issuer.name,
      claim,
    });
  }
  const { principalId } = grantOf(issuer, claims);
  return {
    principalId,
    issuer: issuer.name,
    name: nameOf(claims) ?? principalId,
    groups: groupsOf(issuer, claims),
    issuedAt: new Date(claims.iat * 1_000),
  };
}
