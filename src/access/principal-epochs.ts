import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { TtlCache } from '../platform/async/ttl-cache.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../storage/connection.js';
import { principalEpochs } from '../storage/governance-schema.js';
import { returnedRow } from '../storage/rows.js';

/** Time after which every process refuses what was made in an earlier epoch, in ms. */
const EPOCH_FRESH_MS = 1_000;

/** A period in which what was made for a principal without a row is valid. */
export interface PrincipalEpoch {
  /** 0 until the access of the principal is ended for the first time. */
  epoch: number;
  /** Its beginning; undefined for the first one. */
  raisedAt: Date | undefined;
}

/** The epochs of principals: a new one ends the page tokens of those before. */
@Injectable()
export class PrincipalEpochs {
  #known: TtlCache<PrincipalEpoch>;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.#known = new TtlCache(clock, EPOCH_FRESH_MS);
  }

  /** The epoch as of the last second. */
  get(principalId: string): Promise<PrincipalEpoch> {
    return this.#known.get(principalId, () => this.load(principalId));
  }

  /** Begins a new epoch. @param db the transaction of whatever else is ended; call `forget` after it. */
  async raise(principalId: string, db: Queryable = this.db): Promise<PrincipalEpoch> {
    const raisedAt = new Date(this.clock.now());
    const raised = await db
      .insert(principalEpochs)
      .values({ principalHash: hashOf(principalId), epoch: 1, raisedAt })
      .onConflictDoUpdate({
        target: principalEpochs.principalHash,
        set: { epoch: sql`${principalEpochs.epoch} + 1`, raisedAt },
      })
      .returning();
    this.forget();
    return returnedRow(raised, 'epoch');
  }

  /** Drops the cache, so that this process sees a change at once. */
  forget(): void {
    this.#known = new TtlCache(this.clock, EPOCH_FRESH_MS);
  }

  /** The epoch as it is stored now. */
  async load(principalId: string): Promise<PrincipalEpoch> {
    const [found] = await this.db
      .select()
      .from(principalEpochs)
      .where(eq(principalEpochs.principalHash, hashOf(principalId)));
    return found ?? { epoch: 0, raisedAt: undefined };
  }
}

function hashOf(principalId: string): string {
  return hash('sha256', principalId, 'hex');
}
