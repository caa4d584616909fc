import { and, count, eq, inArray, isNull } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '../../platform/async/batcher.js';
import { newTimeId } from '../../platform/ids.js';
import { isDatabaseDown, violatedConstraint } from '../../storage/database-errors.js';
import { batchLane } from '../../storage/batch-lane.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { lockFor, lockKey } from '../../storage/lock.js';
import { turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { supersedeTurns } from '../branches/supersede-turns.js';
import { insertTurn, insertTurns, type Insertion, type NewTurn } from './insert-turn.js';
import { storeTold } from './told-turns.js';
import type { StoredBeside } from './turn-submission.js';

/** Limits that a turn is accepted within. */
export interface AdmissionLimits {
  /** Turns that may wait for a worker. */
  queueDepth: number;
  /** Turns of the principal that may not have ended; 0: no limit. */
  concurrentTurns: number;
}

export type Refusal = 'busy' | 'key-taken' | 'session-gone' | 'queue-full' | 'too-many-turns';

export type Acceptance = { type: 'accepted'; turnId: string } | { type: Refusal };

/**
 * Acceptances that may be under way at once in the whole deployment, and do not see each other.
 * As far from the limit as this they cannot overrun it; nearer they go one by one.
 */
const MOST_AT_ONCE = 500;

/** Accepts turns: stores each with its user message. */
@Injectable()
export class TurnAcceptor {
  readonly #batches = new Batcher(
    async (batch: readonly { turn: NewTurn; insertion: Insertion }[]) => {
      const stored = await insertTurns(batchLane(this.db), batch, 'is skipped');
      return batch.map(({ insertion }) => stored.has(insertion.id));
    },
    isDatabaseDown,
  );

  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Stores a turn, together with others that are accepted at the same time. The partial unique index on
   * the session is the lock: of two racing turns, the database takes one.
   *
   * @param beside what is stored in the turn's transaction, which is its own then.
   * @throws what `beside` and `supersedeTurns` throw; nothing is stored.
   */
  async accept(turn: NewTurn, limits: AdmissionLimits, beside?: StoredBeside): Promise<Acceptance> {
    const id = newTimeId('turn', turn.now.getTime());
    const accepted: Acceptance = { type: 'accepted', turnId: id };
    const { sessionId, replaces, now } = turn;
    const most = limits.queueDepth - MOST_AT_ONCE;
    const hasTold = (turn.told ?? []).length > 0;
    const isAlone = beside === undefined && replaces === undefined && !hasTold;
    const isFarFromLimits = isAlone && limits.concurrentTurns === 0 && most > 0;
    return orRefusal(async () => {
      if (isFarFromLimits && (await this.#batches.add({ turn, insertion: { id, most } }))) {
        return accepted;
      }
      // Alone, the database says why it does not take the turn.
      const alone = isFarFromLimits ? await insertTurn(this.db, turn, { id, most }) : 'queue-full';
      if (alone !== 'queue-full') return alone === 'stored' ? accepted : { type: alone };
      return this.db.transaction(async (tx): Promise<Acceptance> => {
        if (await hasTooMany(tx, turn, limits)) return { type: 'too-many-turns' };
        await beside?.store(tx, id);
        const told = await storeTold(tx, turn);
        await lockFor(tx, 'accept-turn');
        const last = await insertTurn(tx, turn, { id, most: limits.queueDepth });
        if (last !== 'stored') throw new NotStored(last);
        if (replaces !== undefined)
          await supersedeTurns(tx, { id, sessionId, replaces, told, now });
        return accepted;
      });
    });
  }
}

/** Whether the turn's principal has as many as it may. Until the transaction ends it gets no more. */
export async function hasTooMany(
  tx: Queryable,
  { principalId }: NewTurn,
  { concurrentTurns }: AdmissionLimits,
): Promise<boolean> {
  if (concurrentTurns === 0) return false;
  await lockKey(tx, 'principal', principalId);
  const [found] = await tx
    .select({ unended: count() })
    .from(turns)
    .where(
      and(
        eq(turns.principalId, principalId),
        inArray(turns.status, [...unendedStatuses]),
        // A subagent's turn does not count: its parent waits for it.
        isNull(turns.parentTurnId),
      ),
    );
  return (found?.unended ?? 0) >= concurrentTurns;
}

/** Ends the transaction of a turn that is not stored, so that nothing beside it is. */
export class NotStored extends Error {
  constructor(readonly refusal: Refusal) {
    super(`The turn is not stored: ${refusal}`);
  }
}

/** The result of an insert, or the refusal that ended its transaction: one of its own, or of a rule of the database. */
export async function orRefusal<T>(insert: () => Promise<T>): Promise<T | { type: Refusal }> {
  try {
    return await insert();
  } catch (error) {
    if (error instanceof NotStored) return { type: error.refusal };
    const refusal = refusals[violatedConstraint(error) ?? ''];
    if (refusal === undefined) throw error;
    return { type: refusal };
  }
}

const refusals: Record<string, 'busy' | 'key-taken' | 'session-gone' | undefined> = {
  turns_one_active_per_session: 'busy',
  turns_idempotency: 'key-taken',
  turns_session_id_fkey: 'session-gone',
};
