import { Inject, Injectable } from '@nestjs/common';
import { DATABASE, type Database } from '../storage/connection.js';
import { lockKey } from '../storage/statements.js';
import { ApiKeyCache } from './api-key-cache.js';
import { AuditLog } from './audit-log.js';
import { Grants } from './grants.js';
import { KeyStore } from './key-store.js';
import { PrincipalEpochs } from './principal-epochs.js';

/** What was ended of a principal's access. */
export interface EndedAccess {
  /** Credentials that were made before this time are refused. */
  endedAt: Date;
  /** Ids of the keys that were revoked. */
  keys: string[];
  /** Ids of the grants that were ended. */
  grants: string[];
}

/** Ends the access of principals that left: all of it in one transaction. */
@Injectable()
export class AccessEnder {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly epochs: PrincipalEpochs,
    private readonly store: KeyStore,
    private readonly known: ApiKeyCache,
    private readonly grants: Grants,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Ends what vouches for a principal, again if there is new. Every process knows within a second.
   *
   * @param by the acting principal, for the audit log.
   */
  async end(principalId: string, by: string): Promise<EndedAccess> {
    const ended = await this.db.transaction(async (tx) => {
      // No schedule of the principal gets a grant meanwhile.
      await lockKey(tx, 'principal', principalId);
      const { epoch, accessEndedAt } = await this.epochs.endAccess(tx, principalId);
      const keys = await this.store.revokeAll(principalId, tx);
      const grants = await this.grants.endAll(tx, principalId, by);
      const details = { epoch, keys, grants };
      const entry = { principalId: by, action: 'principal.revoked', subject: principalId } as const;
      await this.audit.write({ ...entry, details }, tx);
      return { endedAt: accessEndedAt, keys, grants };
    });
    this.epochs.forget();
    this.known.forget();
    return ended;
  }
}
