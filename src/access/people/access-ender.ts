import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import type { Actor } from '../principal.js';
import { CLOCK, pause, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { apiKeys } from '../../storage/governance-schema.js';
import { lockKey } from '../../storage/statements.js';
import { ApiKeyCache, KEY_FRESH_MS } from '../keys/api-key-cache.js';
import { AuditLog } from '../audit-log.js';
import { Grants } from './grants.js';
import { Logins } from '../logins/logins.js';
import { KeyStore } from '../keys/key-store.js';
import { PrincipalEpochs } from './principal-epochs.js';

/** Stands for every forgotten principal. No key can have the name. */
export const FORGOTTEN = '(forgotten)';

/** The credentials of a principal that were ended. */
export interface EndedAccess {
  /** Credentials that were made before this time are refused. */
  endedAt: Date;
  /** Ids of the keys that were revoked. */
  keys: string[];
  /** Ids of the grants that were ended. */
  grants: string[];
  /** Number of log-ins in the console that were ended. */
  logins: number;
  /** Number of log-ins at MCP servers that were ended. */
  mcpLogins: number;
}

/** Ends what somebody has logged in to elsewhere. @returns how many log-ins were ended. */
export type EndElsewhere = (principalId: string, by: Actor) => Promise<number>;

/** Ends the access of principals that left, or are to be forgotten. */
@Injectable()
export class AccessEnder {
  /** Set by the part that keeps log-ins at MCP servers. */
  endElsewhere: EndElsewhere = () => Promise.resolve(0);

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly epochs: PrincipalEpochs,
    private readonly store: KeyStore,
    private readonly known: ApiKeyCache,
    private readonly grants: Grants,
    private readonly logins: Logins,
    private readonly audit: AuditLog,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Ends all credentials of a principal in one transaction, and those of a second call that are new since the first.
   * Every process knows within a second. Log-ins at MCP servers end after it, as their issuers are asked to.
   *
   * @param by the acting principal, for the audit log.
   */
  async end(principalId: string, by: Actor): Promise<EndedAccess> {
    const ended = await this.db.transaction(async (tx) => {
      // No schedule of the principal gets a grant meanwhile.
      await lockKey(tx, 'principal', principalId);
      const { epoch, accessEndedAt } = await this.epochs.endAccess(tx, principalId);
      const keys = await this.store.revokeAll(principalId, tx);
      const grants = await this.grants.endAll(tx, principalId, by);
      const logins = await this.logins.endAll(tx, principalId);
      const details = { epoch, keys, grants, logins };
      const entry = { by, action: 'principal.revoked', subject: principalId } as const;
      await this.audit.write({ ...entry, details }, tx);
      return { endedAt: accessEndedAt, keys, grants, logins };
    });
    this.epochs.forget();
    this.known.forget();
    this.logins.forget();
    return { ...ended, mcpLogins: await this.endElsewhere(principalId, by) };
  }

  /**
   * Ends the access of a principal that is to be forgotten: a token that is still valid would store new things of it.
   * Strips its keys of all but their ids, as the server must go on to know that it has had keys. Log-ins end; grants
   * are deleted with what else is stored. Resolves when every process knows.
   */
  async forget(principalId: string): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.epochs.endAccess(tx, principalId);
      await this.#stripKeys(tx, principalId);
      await this.logins.endAll(tx, principalId);
    });
    this.epochs.forget();
    this.known.forget();
    this.logins.forget();
    await pause(this.clock, KEY_FRESH_MS);
  }

  async #stripKeys(tx: Queryable, principalId: string): Promise<void> {
    const now = new Date(this.clock.now()).toISOString();
    await tx
      .update(apiKeys)
      .set({
        principalId: FORGOTTEN,
        name: '',
        secretHash: sql`'forgotten ' || ${apiKeys.id}`,
        limits: {},
        projectRoots: null,
        mints: null,
        lastUsedAt: null,
        revokedAt: sql`coalesce(${apiKeys.revokedAt}, ${now}::timestamptz)`,
      })
      .where(eq(apiKeys.principalId, principalId));
  }
}
