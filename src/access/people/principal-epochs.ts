import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { eq, gte, sql } from 'drizzle-orm';
import { TtlCache } from '../../platform/async/ttl-cache.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { principalEpochs } from '../../storage/governance-schema.js';
import { returnedRow } from '../../storage/rows.js';

/** Time after which every process refuses what was made in an earlier epoch, in ms. */
const EPOCH_FRESH_MS = 1_000;

/** A period in which what was made for a principal without a row is valid. */
export interface PrincipalEpoch {
  /** 0 until the access of the principal is ended for the first time. */
  epoch: number;
  /** Its beginning; undefined for the first one. */
  raisedAt: Date | undefined;
  /** When the access of the principal was ended, and not only its page tokens; null: it was not. */
  accessEndedAt: Date | null;
}

type RaisedEpoch = PrincipalEpoch & { raisedAt: Date };

/**
 * How much later than the end of a principal's access a token may say that it was issued, and is refused all the same,
 * in ms: the clocks of the server and of the issuer may be apart.
 */
const CLOCK_TOLERANCE_MS = 30_000;

/**
 * Whether a token is of the time before the access of its principal was ended. Pure.
 *
 * @param issuedAt as the token says; 1970 where it does not.
 */
export function wasIssuedBefore(
  issuedAt: Date,
  { accessEndedAt }: Pick<PrincipalEpoch, 'accessEndedAt'>,
): boolean {
  return (
    accessEndedAt !== null && issuedAt.getTime() < accessEndedAt.getTime() + CLOCK_TOLERANCE_MS
  );
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

  /**
   * The epoch as of the last second.
   *
   * @param begun an epoch that has begun, as something of it shows: an earlier one is not taken from the cache, which
   *   may not know yet what another process did.
   */
  async get(principalId: string, begun = 0): Promise<PrincipalEpoch> {
    const load = () => this.load(principalId);
    const known = await this.#known.get(principalId, load);
    if (known.epoch >= begun) return known;
    this.#known.delete(principalId);
    return this.#known.get(principalId, load);
  }

  /**
   * Begins a new epoch, which ends the access of the principal: its page tokens and tokens of its issuer are refused, and
   * its streams close.
   *
   * @param tx the transaction of whatever else is ended; call `forget` after it.
   */
  async endAccess(
    tx: Queryable,
    principalId: string,
  ): Promise<PrincipalEpoch & { accessEndedAt: Date }> {
    const accessEndedAt = new Date(this.clock.now());
    const changes = { raisedAt: accessEndedAt, accessEndedAt };
    return { ...(await this.#raise(tx, principalId, changes)), accessEndedAt };
  }

  /** Begins a new epoch, which ends the page tokens of the principal and nothing else of it; call `forget` after it. */
  endPages(tx: Queryable, principalId: string): Promise<RaisedEpoch> {
    return this.#raise(tx, principalId, { raisedAt: new Date(this.clock.now()) });
  }

  async #raise(
    tx: Queryable,
    principalId: string,
    changes: { raisedAt: Date; accessEndedAt?: Date },
  ): Promise<RaisedEpoch> {
    const raised = await tx
      .insert(principalEpochs)
      .values({ principalHash: hashOfPrincipal(principalId), epoch: 1, ...changes })
      .onConflictDoUpdate({
        target: principalEpochs.principalHash,
        set: { epoch: sql`${principalEpochs.epoch} + 1`, ...changes },
      })
      .returning();
    return returnedRow(raised, 'epoch');
  }

  /** Drops the cache, so that this process sees a change at once. */
  forget(): void {
    this.#known = new TtlCache(this.clock, EPOCH_FRESH_MS);
  }

  /** The epoch as it is stored now. */
  async load(principalId: string, db: Queryable = this.db): Promise<PrincipalEpoch> {
    const [found] = await db
      .select()
      .from(principalEpochs)
      .where(eq(principalEpochs.principalHash, hashOfPrincipal(principalId)));
    return found ?? { epoch: 0, raisedAt: undefined, accessEndedAt: null };
  }

  /** Ends of access since a time, by the hashes of the principals. */
  async endedSince(time: Date): Promise<ReadonlyMap<string, Date>> {
    const found = await this.db
      .select()
      .from(principalEpochs)
      .where(gte(principalEpochs.accessEndedAt, time));
    return new Map(
      found.map(({ principalHash, accessEndedAt }) => [principalHash, accessEndedAt ?? time]),
    );
  }
}

/** Stands for a principal in rows that outlive what is stored of it. */
export function hashOfPrincipal(principalId: string): string {
  return hash('sha256', principalId, 'hex');
}
