import { Inject, Injectable } from '@nestjs/common';
import { and, eq, gt, lt, lte, or } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { grants } from '../../storage/governance-schema.js';
import { returnedRow } from '../../storage/rows.js';
import { cannotActLater, tokenRefused } from '../access-errors.js';
import { AuditLog } from '../audit-log.js';
import type { Credential, Actor } from '../principal.js';
import { PrincipalEpochs, wasIssuedBefore } from './principal-epochs.js';
import { TokenError } from '../tokens/token-error.js';
import { TokenVerifier } from '../tokens/token-verifier.js';

/** Time after which a grant is over, in ms, unless its principal shows a token meanwhile. */
export const GRANT_MS = 90 * 86_400_000;
/** Shortest time between two renewals of a grant, in ms. */
const RENEW_MS = 3_600_000;
/** Most principals whose last renewal is remembered. */
const MAX_NOTED = 10_000;

export type GrantRow = typeof grants.$inferSelect;

/** The facts about a person that an identity provider put in a token, or in a log-in that has no id yet. */
type TokenCredential =
  | Extract<Credential, { kind: 'token' | 'login' }>
  | (Pick<Extract<Credential, { kind: 'token' }>, 'issuer' | 'groups' | 'issuedAt'> & {
      kind?: undefined;
    });

/** Why a grant is no more. */
type EndReason = 'expired' | 'no-role' | 'revoked';

/** The key or the grant that acts for a principal later; neither on an open server. */
export interface Voucher {
  keyId: string | null;
  grantId: string | null;
}

/**
 * Grants let the schedules of a person with a token run while no token is there. A principal has one at most, with the
 * groups of its newest token. The roles of these groups, as they are when it is used, say what it allows.
 */
@Injectable()
export class Grants {
  /** When the grant of a principal was last looked for, the longest ago first. */
  readonly #noted = new Map<string, number>();

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly audit: AuditLog,
    private readonly epochs: PrincipalEpochs,
    private readonly tokens: TokenVerifier,
  ) {}

  /**
   * Finds what acts for a caller from now on. For a token it is the grant of its principal, which is renewed, or made.
   *
   * @param tx has the lock of the principal, so that it has one grant.
   * @throws TypedError UNAUTHENTICATED where the access of the principal was ended since the request began;
   *   FORBIDDEN_CREDENTIAL for a caller that is known for this request alone.
   */
  async voucherOf(tx: Queryable, principalId: string, credential: Credential): Promise<Voucher> {
    if (credential.kind === 'none') return { keyId: null, grantId: null };
    if (credential.kind === 'key') return { keyId: credential.id, grantId: null };
    if (credential.kind !== 'token' && credential.kind !== 'login') throw cannotActLater();
    const { issuer, issuedAt } = credential;
    if (wasIssuedBefore(issuedAt, await this.epochs.load(principalId, tx))) {
      throw tokenRefused(new TokenError('ENDED', { issuer }));
    }
    const now = new Date(this.clock.now());
    await this.#endIn(
      tx,
      and(eq(grants.principalId, principalId), lte(grants.expiresAt, now)),
      'expired',
    );
    const renewed = await this.#renewIn(tx, principalId, credential);
    if (renewed !== undefined) return { keyId: null, grantId: renewed.id };
    const [known] = await tx.select().from(grants).where(eq(grants.principalId, principalId));
    const grant = known ?? (await this.#makeIn(tx, principalId, credential));
    return { keyId: null, grantId: grant.id };
  }

  /** Renews the grant of a principal that shows a token, or logs in, in the background: no request waits for it. */
  noteToken(principalId: string, credential: TokenCredential): void {
    if (!this.#isDue(principalId)) return;
    const shownAt = this.clock.now();
    this.#inBackground(principalId, (tx) => this.#renewIn(tx, principalId, credential, shownAt));
  }

  /** Ends the grants of a principal whose token has no role, in the background, and so often as `noteToken` renews. */
  noteLostRoles(principalId: string): void {
    // A token with a role may have been noted in the same hour.
    if (!this.#isDue(`lost ${principalId}`)) return;
    this.#inBackground(principalId, async (tx) => {
      if (!(await this.mayEndForRoles(tx))) return;
      await this.#endIn(tx, eq(grants.principalId, principalId), 'no-role');
    });
  }

  /**
   * Whether this process has the issuers and roles that an API noted last. While a new file comes to one process after
   * another, those with the old one end no grant because they know no role: the new file may have one.
   */
  async mayEndForRoles(db: Queryable = this.db): Promise<boolean> {
    const digest = await this.audit.lastDigest(db);
    return digest === undefined || digest === this.tokens.digest;
  }

  /** @returns undefined where it has ended. */
  async find(id: string): Promise<GrantRow | undefined> {
    const now = new Date(this.clock.now());
    const [found] = await this.db.select().from(grants).where(eq(grants.id, id));
    if (found === undefined || found.expiresAt > now) return found;
    await this.end(id, 'expired');
    return undefined;
  }

  async end(id: string, reason: EndReason): Promise<void> {
    await this.db.transaction((tx) => this.#endIn(tx, eq(grants.id, id), reason));
  }

  /** Ends the grants of a principal. @param by the acting principal. @returns their ids. */
  endAll(tx: Queryable, principalId: string, by: Actor): Promise<string[]> {
    return this.#endIn(tx, eq(grants.principalId, principalId), 'revoked', by);
  }

  /** Whether something was not noted for an hour; it is noted now. */
  #isDue(what: string): boolean {
    const now = this.clock.now();
    if (now - (this.#noted.get(what) ?? -RENEW_MS) < RENEW_MS) return false;
    this.#noted.delete(what);
    this.#noted.set(what, now);
    const [oldest] = this.#noted.keys();
    if (this.#noted.size > MAX_NOTED && oldest !== undefined) this.#noted.delete(oldest);
    return true;
  }

  #inBackground(principalId: string, change: (tx: Queryable) => Promise<unknown>): void {
    this.db
      .transaction(change)
      .catch((error: unknown) =>
        this.logger.warn(
          { principalId, error },
          'could not renew or end the grant of a principal; trying again with its first token after an hour',
        ),
      );
  }

  async #makeIn(
    tx: Queryable,
    principalId: string,
    credential: TokenCredential,
  ): Promise<GrantRow> {
    const { issuer, groups, issuedAt } = credential;
    const now = this.clock.now();
    const [createdAt, expiresAt] = [new Date(now), new Date(now + GRANT_MS)];
    const times = { issuedAt, createdAt, renewedAt: createdAt, expiresAt };
    const row = { id: newId('grant'), principalId, issuer, groups: [...groups], ...times };
    const grant = returnedRow(await tx.insert(grants).values(row).returning(), 'grant');
    await this.#note(tx, 'grant.created', grant, credential);
    return grant;
  }

  /** @returns undefined: there is none, or it knows a newer token. @param shownAt when the token came, in ms. */
  async #renewIn(
    tx: Queryable,
    principalId: string,
    credential: TokenCredential,
    shownAt = this.clock.now(),
  ): Promise<GrantRow | undefined> {
    const { groups, issuedAt } = credential;
    const now = this.clock.now();
    const renewedAt = new Date(now);
    const [renewed] = await tx
      .update(grants)
      .set({ groups: [...groups], issuedAt, renewedAt, expiresAt: new Date(now + GRANT_MS) })
      .where(
        and(
          eq(grants.principalId, principalId),
          gt(grants.expiresAt, renewedAt),
          // An older token has groups that its person may have left; of two of one second, the one that came first.
          or(
            lt(grants.issuedAt, issuedAt),
            and(eq(grants.issuedAt, issuedAt), lte(grants.renewedAt, new Date(shownAt))),
          ),
        ),
      )
      .returning();
    if (renewed !== undefined) await this.#note(tx, 'grant.renewed', renewed, credential);
    return renewed;
  }

  async #endIn(
    tx: Queryable,
    which: ReturnType<typeof and>,
    reason: EndReason,
    by?: Actor,
  ): Promise<string[]> {
    const ended = await tx.delete(grants).where(which).returning();
    for (const { id: subject, principalId: principal } of ended) {
      const details = { principal, reason };
      const entry = { by: by ?? { id: principal }, action: 'grant.ended', subject } as const;
      await this.audit.write({ ...entry, details }, tx);
    }
    return ended.map(({ id }) => id);
  }

  async #note(
    tx: Queryable,
    action: 'grant.created' | 'grant.renewed',
    { id: subject, principalId: id, issuer, expiresAt }: GrantRow,
    credential: TokenCredential,
  ): Promise<void> {
    const details = { issuer, expiresAt: expiresAt.toISOString() };
    const by = credential.kind === undefined ? { id } : { id, credential };
    await this.audit.write({ by, action, subject, details }, tx);
  }
}
