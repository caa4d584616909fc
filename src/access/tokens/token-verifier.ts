import { hash } from 'node:crypto';
import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
} from 'jose';
import { canonicalJson } from '../../platform/json.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { PublicFetch } from '../../platform/net/public-fetch.js';
import type { CliClient, Issuer } from './auth-file.js';
import { IssuerKeys } from './issuer-keys.js';
import { TokenError, type TokenFault } from './token-error.js';
import {
  grantOf,
  groupsOf,
  rightsOf,
  timeOf,
  type Rights,
  type TokenGrant,
} from './token-principal.js';

const MAX_TOKEN_BYTES = 8 * 1024;
/** How far the clocks of the server and of an issuer may be apart, in seconds. */
const CLOCK_TOLERANCE_S = 30;
/** Most tokens whose verification is remembered. */
const MAX_REMEMBERED = 10_000;
/** Faults of a token that keys of the issuer may mend which are not known yet. */
const keyFaults: readonly TokenFault[] = ['UNKNOWN_KEY', 'BAD_SIGNATURE'];
/** Kinds of tokens (`typ`) that are taken, in small letters. An ID token has none of its own: see `required`. */
const takenTypes = ['jwt', 'at+jwt', 'application/at+jwt'];

export interface VerifiedToken extends TokenGrant {
  issuer: string;
  claims: JWTPayload;
  groups: readonly string[];
  /** When it was issued, in ms since the epoch; 0: it does not say. */
  issuedAt: number;
  /** When it expires, in ms since the epoch. */
  expiresAt: number;
}

interface Remembered extends VerifiedToken {
  /** The keys of the issuer that it was verified with. */
  keys: string;
}

/** An issuer as the command line logs in at it: nothing in it is secret. */
export interface CliLogin extends CliClient {
  name: string;
  issuerUrl: string;
}

interface Verifier {
  issuer: Issuer;
  keys: IssuerKeys;
}

/** Whether a text looks like a JWT: three parts, the first of which is a JSON object. */
export function isJwtText(text: string): boolean {
  return /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/.test(text);
}

/**
 * Verifies tokens of the issuers, by one verifier for each. A token that was verified is known by its digest until it
 * expires, or its issuer has other keys.
 */
export class TokenVerifier {
  readonly #verifiers: ReadonlyMap<string, Verifier>;
  /** The one verified longest ago first. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(
    issuers: readonly Issuer[],
    private readonly options: { fetch: PublicFetch; clock: Clock; logger: Logger },
  ) {
    this.#verifiers = new Map(
      issuers.map((issuer) => [
        issuer.issuerUrl,
        { issuer, keys: new IssuerKeys(issuer, options) },
      ]),
    );
  }

  get hasIssuers(): boolean {
    return this.#verifiers.size > 0;
  }

  /** Another for each set of issuers and roles. */
  get digest(): string {
    const issuers = [...this.#verifiers.values()].map(({ issuer }) => issuer);
    return hash('sha256', canonicalJson(issuers), 'hex');
  }

  get issuerNames(): readonly string[] {
    return [...this.#verifiers.values()].map(({ issuer }) => issuer.name);
  }

  /** Issuers that people log in at on the command line. */
  get cliLogins(): readonly CliLogin[] {
    return [...this.#verifiers.values()].flatMap(({ issuer: { name, issuerUrl, cli } }) =>
      cli === undefined ? [] : [{ name, issuerUrl, ...cli }],
    );
  }

  /** Folders that roles open, each once. */
  get roleRoots(): readonly string[] {
    const roles = [...this.#verifiers.values()].flatMap(({ issuer }) => issuer.roles);
    return [...new Set(roles.flatMap(({ projectRoots }) => projectRoots))];
  }

  /** Roles of approvers that groups have, each once. */
  get approverRoles(): readonly string[] {
    const roles = [...this.#verifiers.values()].flatMap(({ issuer }) => issuer.roles);
    return [...new Set(roles.flatMap(({ approves }) => approves))];
  }

  /** Finds the rights of groups of an issuer; undefined: they have none, or there is no such issuer. @param issuer its name. */
  rightsOf(issuer: string, groups: readonly string[]): Rights | undefined {
    const found = [...this.#verifiers.values()].find((one) => one.issuer.name === issuer);
    return found && rightsOf(found.issuer, groups);
  }

  /** Whether a token says that it is of one of the issuers. */
  knowsIssuer(token: string): boolean {
    try {
      return this.#verifierOf(token) !== undefined;
    } catch (error) {
      if (error instanceof TokenError) return false;
      throw error;
    }
  }

  /** @throws TokenError; IssuerAwayError. */
  async verify(token: string): Promise<VerifiedToken> {
    if (!isJwtText(token) || token.length > MAX_TOKEN_BYTES) throw new TokenError('MALFORMED');
    const verifier = this.#verifierOf(token);
    const keys = await verifier.keys.current();
    const digest = digestOf(token);
    const known = this.#remembered.get(digest);
    const isCurrent = known?.keys === keys.text && known.expiresAt > this.options.clock.now();
    if (isCurrent) return known;
    this.#remembered.delete(digest);
    const verified = await this.#verifyAnew(token, verifier, keys);
    this.#remember(digest, verified);
    return verified;
  }

  #verifierOf(token: string): Verifier {
    let issuer: unknown;
    try {
      issuer = decodeJwt(token).iss;
    } catch {
      throw new TokenError('MALFORMED');
    }
    const verifier = typeof issuer === 'string' ? this.#verifiers.get(issuer) : undefined;
    if (verifier === undefined) throw new TokenError('UNKNOWN_ISSUER');
    return verifier;
  }

  async #verifyAnew(
    token: string,
    { issuer, keys }: Verifier,
    known: Awaited<ReturnType<IssuerKeys['current']>>,
  ): Promise<Remembered> {
    checkType(token, issuer);
    let used = known;
    let claims: JWTPayload;
    try {
      claims = await this.#verifySignature(token, issuer, used.get);
    } catch (error) {
      // The issuer may have a key that is newer than those known here, also under the name of one of them.
      const mayBeNew = error instanceof TokenError && keyFaults.includes(error.fault);
      if (!mayBeNew || !(await keys.lookAgain(used))) throw error;
      used = await keys.current();
      claims = await this.#verifySignature(token, issuer, used.get);
    }
    checkClaims(claims, issuer);
    const expiresAt = timeOf(issuer, claims, 'exp');
    const issuedAt = claims.iat === undefined ? 0 : timeOf(issuer, claims, 'iat');
    // An end of access ends the tokens that were issued before it: a token that says a later time would go on.
    if (issuedAt > this.options.clock.now() + CLOCK_TOLERANCE_S * 1_000) {
      throw new TokenError('NOT_YET_VALID', { issuer: issuer.name, claim: 'iat' });
    }
    const [groups, times] = [groupsOf(issuer, claims), { issuedAt, expiresAt }];
    const grant = grantOf(issuer, claims);
    return { ...grant, issuer: issuer.name, claims, groups, ...times, keys: used.text };
  }

  async #verifySignature(
    token: string,
    issuer: Issuer,
    get: Awaited<ReturnType<IssuerKeys['current']>>['get'],
  ): Promise<JWTPayload> {
    const options: JWTVerifyOptions = {
      issuer: issuer.issuerUrl,
      algorithms: [...issuer.algorithms],
      requiredClaims: ['exp', ...issuer.principal],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(this.options.clock.now()),
    };
    try {
      return (await jwtVerify(token, get, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw tokenErrorOf(error, issuer);
      // The token does not name its key: one of those that fit signed it.
      for await (const key of error) {
        try {
          return (await jwtVerify(token, key, options)).payload;
        } catch (fault) {
          if (!(fault instanceof errors.JWSSignatureVerificationFailed))
            throw tokenErrorOf(fault, issuer);
        }
      }
      throw new TokenError('BAD_SIGNATURE', { issuer: issuer.name });
    }
  }

  #remember(digest: string, verified: Remembered): void {
    this.#remembered.set(digest, verified);
    const [oldest] = this.#remembered.keys();
    if (this.#remembered.size > MAX_REMEMBERED && oldest !== undefined) {
      this.#remembered.delete(oldest);
    }
  }
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}

function checkType(token: string, issuer: Issuer): void {
  const { typ = 'JWT' } = readHeader(token);
  if (typeof typ !== 'string' || !takenTypes.includes(typ.toLowerCase())) {
    throw new TokenError('WRONG_TYPE', { issuer: issuer.name });
  }
}

function readHeader(token: string): { typ?: unknown } {
  try {
    return decodeProtectedHeader(token);
  } catch {
    throw new TokenError('MALFORMED');
  }
}

/** Claims that the library does not check. @throws TokenError. */
function checkClaims(claims: JWTPayload, issuer: Issuer): void {
  const { name, audiences, audienceClaim, required } = issuer;
  const given = [claims[audienceClaim]].flat();
  if (!given.some((one) => typeof one === 'string' && audiences.includes(one))) {
    throw new TokenError('WRONG_AUDIENCE', { issuer: name, claim: audienceClaim });
  }
  for (const [claim, value] of Object.entries(required)) {
    if (claims[claim] !== value) {
      throw new TokenError(claims[claim] === undefined ? 'MISSING_CLAIM' : 'WRONG_CLAIM', {
        issuer: name,
        claim,
      });
    }
  }
}

/** The typed error of a fault that the library found; another error is not about the token. */
function tokenErrorOf(error: unknown, { name: issuer }: Issuer): unknown {
  if (error instanceof errors.JWTExpired) return new TokenError('EXPIRED', { issuer });
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error;
    const fault =
      reason === 'missing'
        ? 'MISSING_CLAIM'
        : timeFaults.has(claim)
          ? 'NOT_YET_VALID'
          : 'WRONG_CLAIM';
    return new TokenError(fault, { issuer, claim });
  }
  const fault = faultOfCode.get(error instanceof errors.JOSEError ? error.code : '');
  return fault === undefined ? error : new TokenError(fault, { issuer });
}

const timeFaults: ReadonlySet<string> = new Set(['nbf', 'iat']);

const faultOfCode: ReadonlyMap<string, TokenFault> = new Map([
  ['ERR_JWKS_NO_MATCHING_KEY', 'UNKNOWN_KEY'],
  ['ERR_JWS_SIGNATURE_VERIFICATION_FAILED', 'BAD_SIGNATURE'],
  ['ERR_JOSE_ALG_NOT_ALLOWED', 'WRONG_ALGORITHM'],
  ['ERR_JOSE_NOT_SUPPORTED', 'WRONG_ALGORITHM'],
  ['ERR_JWS_INVALID', 'MALFORMED'],
  ['ERR_JWT_INVALID', 'MALFORMED'],
]);
