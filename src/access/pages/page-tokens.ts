import { hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { compact } from '../../platform/compact.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import type { KeyScope } from '../../storage/governance-schema.js';
import {
  forbiddenApproverRoles,
  forbiddenPrincipal,
  forbiddenScopes,
  needsKeyToMint,
} from '../access-errors.js';
import { ApiKeyCache } from '../keys/api-key-cache.js';
import { CustomAuthenticators } from '../custom-authenticators.js';
import { AuditLog } from '../audit-log.js';
import { usualScopes, type KeyRow } from '../keys/key.dto.js';
import type { Principal } from '../principal.js';
import { PrincipalEpochs } from '../people/principal-epochs.js';
import { mayMint } from './may-mint.js';
import type { MintedTokenDto, NewPageTokenDto } from './page-token.dto.js';
import { openPageToken, PageTokenError, signPageToken, type PageClaims } from './page-token.js';
import { ServerSecrets } from './server-secrets.js';

/** Scopes that no page token has. */
const neverScopes: readonly KeyScope[] = ['admin', 'texts', 'metrics', 'tokens'];

/** A page token that is good now, and the key that made it, as of the last second. */
export interface OpenedToken {
  claims: PageClaims;
  key: KeyRow;
}

/** Page tokens: short-lived, without a row, and ended with their key or with the access of their principal. */
@Injectable()
export class PageTokens {
  constructor(
    private readonly secrets: ServerSecrets,
    private readonly keys: ApiKeyCache,
    private readonly epochs: PrincipalEpochs,
    private readonly others: CustomAuthenticators,
    private readonly audit: AuditLog,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Makes a token by a key.
   *
   * @param checkSession throws where the session is not that of the principal.
   * @throws TypedError FORBIDDEN_SCOPE 403, FORBIDDEN_PRINCIPAL 403.
   */
  async mint(
    wanted: NewPageTokenDto,
    caller: Principal,
    checkSession: () => Promise<void>,
  ): Promise<MintedTokenDto> {
    const { epochs, audit, clock } = this;
    const key = await this.#keyOf(caller);
    const principal = this.#principalOf(wanted.principal, key);
    const allowed = key.scopes.filter((scope) => !neverScopes.includes(scope));
    const scopes = wanted.scopes ?? usualScopes.filter((scope) => allowed.includes(scope));
    const excess = scopes.filter((scope) => !allowed.includes(scope));
    if (excess.length > 0) throw forbiddenScopes(excess, allowed);
    const { approves } = wanted;
    const more = approves?.filter((role) => key.approves?.includes(role) !== true) ?? [];
    if (more.length > 0) throw forbiddenApproverRoles(more, key.approves ?? []);
    await checkSession();
    const { epoch } = await epochs.load(principal);
    const wantedEnd = clock.now() + wanted.expiresIn * 1_000;
    const expiresAt = Math.min(wantedEnd, key.expiresAt?.getTime() ?? wantedEnd);
    const { sessionId, agents, origin } = wanted;
    const bound = compact({ session: sessionId, agents, approves, origin });
    const id = randomBytes(8).toString('hex');
    const said = { id, key: key.id, principal, scopes, epoch, expiresAt, ...bound };
    const token = signPageToken(said, await this.#signingKey());
    const shown = { principal, scopes, expiresAt: new Date(expiresAt).toISOString() };
    const details = { ...shown, tokenId: id, ...compact({ sessionId, agents, approves, origin }) };
    const entry = { action: 'token.minted', subject: key.id, details } as const;
    await audit.write({ by: caller, ...entry });
    return { token, ...shown, ...compact({ sessionId, agents, approves, origin }) };
  }

  /**
   * Ends all page tokens of a principal by a key that may make them. Every process knows within a second.
   *
   * @returns the time of the end. @throws TypedError FORBIDDEN_SCOPE 403, FORBIDDEN_PRINCIPAL 403.
   */
  async end(wanted: string, caller: Principal): Promise<Date> {
    const key = await this.#keyOf(caller);
    const principal = this.#principalOf(wanted, key);
    const { raisedAt } = await this.db.transaction(async (tx) => {
      const ended = await this.epochs.endPages(tx, principal);
      const details = { principal, epoch: ended.epoch };
      const entry = { action: 'token.ended', subject: key.id, details } as const;
      await this.audit.write({ by: caller, ...entry }, tx);
      return ended;
    });
    this.epochs.forget();
    return raisedAt;
  }

  /** The key of the caller, which alone makes page tokens. @throws TypedError FORBIDDEN_SCOPE 403. */
  async #keyOf({ credential }: Principal): Promise<KeyRow> {
    const key = credential.kind === 'key' ? await this.keys.get(credential.id) : undefined;
    if (key === undefined) throw needsKeyToMint();
    return key;
  }

  /** Checks whom tokens are for. @throws TypedError FORBIDDEN_PRINCIPAL 403. */
  #principalOf(principal: string | undefined, key: KeyRow): string {
    if (principal === undefined) return key.principalId;
    if (!this.#mayActFor(principal, key)) throw forbiddenPrincipal(principal, key.mints);
    return principal;
  }

  /** Whether tokens of a key may be for a principal, whom no identity provider or extension knows. */
  #mayActFor(principal: string, key: KeyRow): boolean {
    if (principal === key.principalId) return true;
    return !this.others.vouchFor(principal) && mayMint(key.mints, principal);
  }

  /** Reads the claims of a token that this server signed. @throws PageTokenError. */
  async open(text: string): Promise<PageClaims> {
    return openPageToken(text, await this.#signingKey());
  }

  /** Checks what ends a token that was signed: its time, its key, its principal's epoch. @throws PageTokenError. */
  async check(claims: PageClaims): Promise<OpenedToken> {
    const now = this.clock.now();
    const key = await this.keys.findById(claims.key);
    if (key === undefined) throw new PageTokenError('KEY_UNKNOWN');
    if (key.revokedAt !== null) throw new PageTokenError('KEY_REVOKED');
    if (key.expiresAt !== null && key.expiresAt.getTime() <= now) {
      throw new PageTokenError('KEY_EXPIRED');
    }
    const { epoch } = await this.epochs.get(claims.principal, claims.epoch);
    if (epoch !== claims.epoch || !this.#mayActFor(claims.principal, key)) {
      throw new PageTokenError('ENDED');
    }
    if (claims.expiresAt <= now) throw new PageTokenError('EXPIRED');
    return { claims, key };
  }

  /** Whether a token was ended before its time. */
  async hasEnded(text: string): Promise<boolean> {
    try {
      await this.check(await this.open(text));
      return false;
    } catch (error) {
      if (!(error instanceof PageTokenError)) throw error;
      // Its reader may come back with another for a while.
      return error.fault !== 'EXPIRED';
    }
  }

  /** Whether the access of a principal was ended after a time. @param since in ms since the epoch. */
  async hasEndedSince(principalId: string, since: number): Promise<boolean> {
    const { accessEndedAt } = await this.epochs.get(principalId);
    return accessEndedAt !== null && accessEndedAt.getTime() > since;
  }

  async #signingKey(): Promise<Buffer> {
    const secret = await this.secrets.get('page-tokens');
    return Buffer.from(hkdfSync('sha256', secret, '', 'turnpike page tokens v1', 32));
  }
}
