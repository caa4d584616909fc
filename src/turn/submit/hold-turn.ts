import { and, count, eq, inArray, ne, sql } from 'drizzle-orm';
import { newTimeId } from '../../platform/ids.js';
import type { Database, Queryable } from '../../storage/connection.js';
import { lockFor, lockKey } from '../../storage/statements.js';
import { activeStatuses } from '../../storage/shapes/stored-turn.js';
import { turns } from '../../storage/schema.js';
import { askToEnd, isHeldIn } from '../state/turn-row.js';
import {
  catchRefusal,
  hasTooMany,
  NotStored,
  type Refusal,
  type AdmissionLimits,
  insertTurn,
} from './insert-turn.js';
import { storeClientTurns } from './client-turns.js';
import type { NewTurn, ExtraWrites } from './turn-submission.js';

export interface HoldLimits extends AdmissionLimits {
  /** Turns that may be held in one session. */
  sessionQueue: number;
}

interface Terms {
  limits: HoldLimits;
  goesFirst: boolean;
  /** What is stored in the turn's transaction. */
  extraWrites?: ExtraWrites | undefined;
}

export type HoldResult =
  | {
      type: 'held';
      turnId: string;
      /** Queue position behind the active turn, from 1. */
      position: number;
      /** The active turn; undefined: it ended in the same moment. */
      activeTurnId: string | undefined;
      /** Held turns that this turn supersedes: they are asked to end. */
      superseded: string[];
    }
  | { type: Refusal | 'session-queue-full' };

/**
 * Stores a turn behind the active turn of its session, whose end promotes it. With `goesFirst` it asks the active
 * turn to end, goes before the held turns that do not go first, and supersedes those that do.
 */
export function holdTurn(
  db: Database,
  turn: NewTurn,
  { limits, goesFirst, extraWrites }: Terms,
): Promise<HoldResult> {
  const id = newTimeId('turn', turn.now.getTime());
  return catchRefusal(() =>
    db.transaction(async (tx): Promise<HoldResult> => {
      if (await hasTooMany(tx, turn, limits)) return { type: 'too-many-turns' };
      await lockKey(tx, 'session', turn.sessionId);
      const held = await countHeld(tx, turn.sessionId, goesFirst);
      if (held >= limits.sessionQueue) return { type: 'session-queue-full' };
      await extraWrites?.store?.(tx, id);
      await storeClientTurns(tx, turn);
      await lockFor(tx, 'accept-turn');
      const insertion = { id, maxQueued: limits.queueDepth, held: { goesFirst } };
      const inserted = await insertTurn(tx, turn, insertion);
      if (inserted !== 'stored') throw new NotStored(inserted);
      await extraWrites?.verify?.(tx);
      // A refused turn supersedes none: this comes after its insertion.
      const superseded = goesFirst ? await supersede(tx, turn.sessionId, id) : [];
      // The active turn is marked last, so that its row is locked for a moment only.
      const activeTurnId = await markActive(tx, turn, goesFirst);
      const position = goesFirst ? 1 : held + 1;
      return { type: 'held', turnId: id, position, activeTurnId, superseded };
    }),
  );
}

/** @param supersedes leaves the turns that go first out of the count. */
async function countHeld(tx: Queryable, sessionId: string, supersedes: boolean): Promise<number> {
  const [found] = await tx
    .select({ held: count() })
    .from(turns)
    .where(and(isHeldIn(sessionId), supersedes ? eq(turns.goesFirst, false) : undefined));
  return found?.held ?? 0;
}

async function supersede(tx: Queryable, sessionId: string, by: string): Promise<string[]> {
  const ended = await tx
    .update(turns)
    .set({ cancelRequestedAt: sql`now()`, cancelReason: 'superseded' })
    .where(and(isHeldIn(sessionId), eq(turns.goesFirst, true), ne(turns.id, by)))
    .returning({ id: turns.id });
  return ended.map(({ id }) => id);
}

/**
 * Marks the active turn, which then promotes the held turn at its end.
 *
 * @param asksToEnd also stores that the active turn is to end, so that it is interrupted even if this process dies.
 */
async function markActive(
  tx: Queryable,
  { sessionId, now }: Pick<NewTurn, 'sessionId' | 'now'>,
  asksToEnd: boolean,
): Promise<string | undefined> {
  const [active] = await tx
    .update(turns)
    .set({ hasNext: true, ...(asksToEnd ? askToEnd(now, 'superseded') : {}) })
    .where(and(eq(turns.sessionId, sessionId), inArray(turns.status, [...activeStatuses])))
    .returning({ id: turns.id });
  return active?.id;
}
