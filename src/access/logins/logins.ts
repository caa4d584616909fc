import { Inject, Injectable } from '@nestjs/common';
import { and, eq, gt, lte, or, type SQL } from 'drizzle-orm';
import { TtlCache } from '../../platform/async/ttl-cache.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { logins } from '../../storage/governance-schema.js';
import { lockKey } from '../../storage/statements.js';
import { AuditLog } from '../audit-log.js';
import { hashKey } from '../keys/key-secret.js';
import { ServerSecrets } from '../pages/server-secrets.js';
import { PrincipalEpochs, wasIssuedBefore } from '../people/principal-epochs.js';
import { isLoginSecret, newLoginSecret } from './login-cookies.js';
import { LoginError } from './login-error.js';

/** Time without use after which a log-in has ended, in ms. */
export const IDLE_MS = 8 * 3_600_000;
/** Time after which it has ended, however often it is used, in ms. */
export const LOGIN_MS = 24 * 3_600_000;
/** Time after which every process refuses a log-in that was ended, in ms. */
const FRESH_MS = 1_000;
/** Shortest time between two updates of the last use, in ms. */
const USE_NOTED_MS = 60_000;

export type LoginRow = typeof logins.$inferSelect;

/** A person who has logged in, as the identity provider describes them. */
export type NewLogin = Pick<LoginRow, 'principalId' | 'issuer' | 'name' | 'groups' | 'issuedAt'>;

/** Log-ins of people in the console: a row for each, which the cookie of a browser names. */
@Injectable()
export class Logins {
  #known: TtlCache<LoginRow | undefined>;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly secrets: ServerSecrets,
    private readonly epochs: PrincipalEpochs,
    private readonly audit: AuditLog,
  ) {
    this.#known = new TtlCache(clock, FRESH_MS);
  }

  /** The key of this deployment for cookies. */
  key(): Promise<Buffer> {
    return this.secrets.get('log-ins');
  }

  /**
   * Makes a log-in.
   *
   * @param before the cookie that the browser had: its log-in is ended.
   * @returns the value of its cookie, which is stored nowhere.
   * @throws LoginError ENDED: the access of the principal was ended since.
   */
  async begin(login: NewLogin, before: string | undefined): Promise<string> {
    const { principalId, issuer, issuedAt } = login;
    const begun = await this.db.transaction(async (tx) => {
      // Nobody ends the access of the principal meanwhile.
      await lockKey(tx, 'principal', principalId);
      if (wasIssuedBefore(issuedAt, await this.epochs.load(principalId, tx))) {
        throw new LoginError('ENDED', { issuer });
      }
      if (before !== undefined) await this.#endIn(tx, before, 'replaced');
      return this.#beginIn(tx, login);
    });
    this.forget();
    return begun;
  }

  async #beginIn(tx: Queryable, login: NewLogin): Promise<string> {
    const secret = newLoginSecret(await this.key());
    const now = this.clock.now();
    const [createdAt, expiresAt] = [new Date(now), new Date(now + LOGIN_MS)];
    const times = { createdAt, lastUsedAt: createdAt, expiresAt };
    const row = { ...login, ...times, id: newId('login'), secretHash: hashKey(secret) };
    await tx.insert(logins).values(row);
    const { principalId, issuer, id: subject } = row;
    const credential = { kind: 'login', id: subject, issuer };
    const details = { issuer, credential, expiresAt: expiresAt.toISOString() };
    const by = { id: principalId };
    await this.audit.write({ by, action: 'login.succeeded', subject, details }, tx);
    return secret;
  }

  /** Whether this deployment made the value of a cookie: its sender does not guess. */
  async isOurs(secret: string): Promise<boolean> {
    return isLoginSecret(secret, await this.key());
  }

  /** The log-in as of the last second; undefined: it has ended. The use is noted. */
  async find(secret: string): Promise<LoginRow | undefined> {
    const hash = hashKey(secret);
    const found = await this.#known.get(hash, () => this.#load(hash));
    return found && this.#isOver(found) ? undefined : found;
  }

  /** Whether a log-in has ended by now. */
  async hasEnded(id: string): Promise<boolean> {
    const [found] = await this.db.select().from(logins).where(eq(logins.id, id));
    return found === undefined || this.#isOver(found);
  }

  /** Ends the log-in of a cookie. @returns undefined: it had ended. */
  async end(secret: string): Promise<LoginRow | undefined> {
    const ended = await this.db.transaction((tx) => this.#endIn(tx, secret, 'requested'));
    this.forget();
    return ended;
  }

  async #endIn(
    tx: Queryable,
    secret: string,
    reason: 'requested' | 'replaced',
  ): Promise<LoginRow | undefined> {
    const [ended] = await tx
      .delete(logins)
      .where(eq(logins.secretHash, hashKey(secret)))
      .returning();
    if (ended === undefined) return undefined;
    const { id: subject, principalId, issuer } = ended;
    const details = { issuer, credential: { kind: 'login', id: subject, issuer }, reason };
    const by = { id: principalId };
    await this.audit.write({ by, action: 'login.ended', subject, details }, tx);
    return ended;
  }

  /** Ends the log-ins of a principal. @returns how many there were. */
  async endAll(tx: Queryable, principalId: string): Promise<number> {
    const ended = await tx.delete(logins).where(eq(logins.principalId, principalId)).returning();
    return ended.length;
  }

  /** Drops the cache after a change, so that this process sees the change at once. */
  forget(): void {
    this.#known = new TtlCache(this.clock, FRESH_MS);
  }

  #isOver({ lastUsedAt, expiresAt }: LoginRow): boolean {
    const now = this.clock.now();
    return expiresAt.getTime() <= now || lastUsedAt.getTime() + IDLE_MS <= now;
  }

  async #load(hash: string): Promise<LoginRow | undefined> {
    const [found] = await this.db.select().from(logins).where(eq(logins.secretHash, hash));
    if (found !== undefined && !this.#isOver(found)) this.#noteUse(found);
    return found;
  }

  /** Stores the use in the background: no request waits for it. */
  #noteUse({ id, lastUsedAt }: LoginRow): void {
    const now = this.clock.now();
    if (now - lastUsedAt.getTime() < USE_NOTED_MS) return;
    this.db
      .update(logins)
      .set({ lastUsedAt: new Date(now) })
      .where(and(eq(logins.id, id), gt(logins.lastUsedAt, new Date(now - IDLE_MS))))
      .then(undefined, (error: unknown) =>
        this.logger.warn(
          { loginId: id, error },
          'could not store when a log-in was last used; trying again with its next request',
        ),
      );
  }
}

/** Deletes the rows of log-ins that have ended by themselves. */
export async function removeEndedLogins(db: Database, now: Date): Promise<void> {
  await db.delete(logins).where(isOver(now));
}

function isOver(now: Date): SQL | undefined {
  const idle = new Date(now.getTime() - IDLE_MS);
  return or(lte(logins.expiresAt, now), lte(logins.lastUsedAt, idle));
}
