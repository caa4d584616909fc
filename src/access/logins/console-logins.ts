import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { Grants } from '../people/grants.js';
import { Refusals, type Sender } from '../refusals.js';
import { IssuerAwayError } from '../tokens/issuer-keys.js';
import { TokenError } from '../tokens/token-error.js';
import { grantOf, groupsOf, timeOf } from '../tokens/token-principal.js';
import {
  BEGUN_MS,
  excessBegun,
  openBegun,
  placeOfBegun,
  returnPath,
  sealBegun,
} from './begun-login.js';
import { LoginError, type LoginFault } from './login-error.js';
import { Logins, type NewLogin } from './logins.js';
import { findWrongClaim, nameOf, type PersonClaims } from './provider-client.js';
import { ConsoleIssuers, type ConsoleProvider } from './console-issuers.js';

/** People log in with an identity provider, and out. */
@Injectable()
export class ConsoleLogins {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly issuers: ConsoleIssuers,
    private readonly logins: Logins,
    private readonly grants: Grants,
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
   * @param others what the browser keeps of log-ins that it has begun, by their places.
   * @returns where the provider logs people in, and what the browser keeps until then, in its place; and the places
   *   of what it forgets.
   * @throws LoginError UNKNOWN_ISSUER; IssuerAwayError.
   */
  async begin(
    name: string,
    {
      redirectUri,
      returnTo,
      others,
    }: {
      redirectUri: string;
      returnTo: unknown;
      others: ReadonlyMap<string, string>;
    },
  ): Promise<{ url: string; begun: string; place: string; forgotten: readonly string[] }> {
    const { client } = this.#providerOf(name);
    const secrets = client.newSecrets();
    const url = await client.authorizationUrl(redirectUri, secrets);
    const expiresAt = this.clock.now() + BEGUN_MS;
    const begun = { ...secrets, issuer: name, returnTo: returnPath(returnTo), expiresAt };
    const key = await this.logins.key();
    const forgotten = excessBegun(others, key, this.clock.now());
    return { url, begun: sealBegun(begun, key), place: placeOfBegun(secrets.state), forgotten };
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
    sender: Sender,
  ): Promise<{ secret: string; returnTo: string }> {
    try {
      const begun = openBegun(browser.begun, await this.logins.key(), this.clock.now());
      const { searchParams } = browser.answer;
      if (begun.issuer !== name || searchParams.get('state') !== begun.state) {
        throw new LoginError('WRONG_STATE', { issuer: name });
      }
      const { issuer, client } = this.#providerOf(name);
      const claims = await client.claimsOf(browser.answer, begun);
      const person = personOf(issuer, claims);
      const secret = await this.logins.begin(person, browser.login);
      this.grants.noteToken(person.principalId, person);
      return { secret, returnTo: begun.returnTo };
    } catch (error) {
      const state = browser.answer.searchParams.get('state') ?? '';
      await this.#noteRefusal(error, { name, state }, sender);
      throw error;
    }
  }

  /** Whether the browser is logged in: its callback comes again, by a reload or a restored tab. */
  async isLoggedIn(secret: string | undefined): Promise<boolean> {
    if (secret === undefined || !(await this.logins.isOurs(secret))) return false;
    return (await this.logins.find(secret)) !== undefined;
  }

  /**
   * Ends a log-in, also one that has ended.
   *
   * @param returnUrl that the provider sends the browser to after its own log-out.
   * @returns the address of that log-out; undefined: the provider has none.
   */
  async end(secret: string, returnUrl: string): Promise<string | undefined> {
    const ended = await this.logins.end(secret);
    return ended && this.issuers.find(ended.issuer)?.client.endSessionUrl(returnUrl);
  }

  #providerOf(name: string): ConsoleProvider {
    const provider = this.issuers.find(name);
    if (provider === undefined) throw new LoginError('UNKNOWN_ISSUER');
    return provider;
  }

  /** Notes why a log-in failed, without what the provider or the browser sent. */
  async #noteRefusal(
    error: unknown,
    { name, state }: { name: string; state: string },
    sender: Sender,
  ): Promise<void> {
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
    const isGuess = error instanceof LoginError && guessFaults.includes(error.fault);
    if (isGuess) await this.refusals.count(sender, state);
    if (error instanceof LoginError && error.cause !== undefined) {
      const { fault, cause } = error;
      this.logger.warn(
        { issuer: name, reason: fault, error: cause },
        'a log-in to the console failed at its identity provider, and the page told the person why. If every log-in fails, compare `console` of the issuer in TURNPIKE_AUTH_FILE with the client at the provider',
      );
    }
    const details = {
      reason: error.fault,
      ...compact({ issuer: this.issuers.find(name) && name }),
    };
    await this.refusals.note(sender, details, principalId, 'login.refused');
  }
}

/**
 * Faults of somebody who may be guessing. All others are about a log-in that the browser did begin: people at one
 * address, whom their provider refuses, must not lock each other out.
 */
const guessFaults: readonly LoginFault[] = [
  'UNKNOWN_ISSUER',
  'NOT_BEGUN',
  'WRONG_STATE',
  'CODE_REFUSED',
];

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
    issuedAt: new Date(timeOf(issuer, claims, 'iat')),
  };
}
