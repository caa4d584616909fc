import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { ApiKeyCache, KEY_FRESH_MS } from '../access/api-key-cache.js';
import { PrincipalEpochs } from '../access/principal-epochs.js';
import { CLOCK, pause, type Clock } from '../platform/clock.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { apiKeys } from '../storage/governance-schema.js';

/** Stands for every forgotten principal. No key can have the name. */
export const FORGOTTEN = '(forgotten)';

/** What lets somebody who is to be forgotten in: keys, and page tokens. */
@Injectable()
export class PrincipalCredentials {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly keys: ApiKeyCache,
    private readonly epochs: PrincipalEpochs,
  ) {}

  /**
   * Revokes the keys and strips them of all but their ids, as the server must go on to know that it has had keys; ends
   * the page tokens. Resolves when every process knows.
   */
  async end(principalId: string): Promise<void> {
    const now = new Date(this.clock.now()).toISOString();
    await this.db
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
    this.keys.forget();
    await this.epochs.raise(principalId);
    await pause(this.clock, KEY_FRESH_MS);
  }
}
