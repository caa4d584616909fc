import { and, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { isPlainObject } from '../platform/json.js';
import { violatedConstraint } from '../storage/database-errors.js';
import type { Database } from '../storage/connection.js';
import { insertFenced } from '../storage/insert-from.js';
import { turnArchives } from '../storage/transcript-schema.js';
import { turns } from '../storage/schema.js';
import { FencedError } from './event-log.js';
import type { TurnEvent } from './turn-event.js';

/**
 * A part of a fenced statement: a data-modifying `with` query that takes its rows from `fence`,
 * the turn's row (`fence.id`), which is there only while the attempt owns the turn.
 */
export type StoreWrite = SQL;

export interface TurnAttempt {
  turnId: string;
  attempt: number;
}

export interface StatementParts {
  writes: readonly StoreWrite[];
  /** The events of these writes, after those that were emitted before and are not archived yet. */
  events: readonly TurnEvent[];
  /** Whether an earlier try got no answer: it may have stored everything. */
  isRepeat: boolean;
  /** Messages delivered to the model. Given: nothing is stored where more were steered in. */
  delivered?: number;
}

export type Stored =
  | { type: 'stored'; hasNext: boolean }
  /** Nothing was stored: `steered` messages came into the turn, more than were delivered. */
  | { type: 'undelivered'; steered: number };

/**
 * Stores writes and their events in one statement: all of them, or nothing when the attempt no
 * longer owns the turn. The turn's row is locked, so that no other attempt can begin before the
 * statement is done.
 *
 * @throws FencedError; what the database threw.
 */
export async function storeWrites(
  db: Database,
  { turnId, attempt }: TurnAttempt,
  { writes, events, isRepeat, delivered }: StatementParts,
): Promise<Stored> {
  // A column of the locked row, so that a message that was steered in meanwhile counts.
  const isDelivered = delivered === undefined ? sql`` : sql` and joined_messages <= ${delivered}`;
  const fence = sql`with fence as (
    select id, has_next from turns
    where id = ${turnId} and attempt = ${attempt} and status in ('running', 'held')${isDelivered}
    for update)`;
  const parts = [...writes, ...archiveWrites(turnId, events)].map(
    (write, index) => sql`, ${sql.raw(`write_${index}`)} as (${write})`,
  );
  try {
    const { rows } = await db.execute(
      sql.join([fence, ...parts, sql` select has_next from fence`]),
    );
    const row: unknown = rows[0];
    if (isPlainObject(row)) return { type: 'stored', hasNext: row['has_next'] === true };
  } catch (error) {
    if (!isRepeat || violatedConstraint(error) === undefined) throw error;
  }
  // Where the answer with `has_next` was lost, the sweeper promotes the next turn.
  if (isRepeat && (await isArchived(db, turnId, events))) {
    return { type: 'stored', hasNext: false };
  }
  const steered = delivered === undefined ? undefined : await countSteered(db, { turnId, attempt });
  if (steered !== undefined) return { type: 'undelivered', steered };
  throw new FencedError(turnId, attempt);
}

function archiveWrites(turnId: string, events: readonly TurnEvent[]): StoreWrite[] {
  const [first] = events;
  if (first === undefined) return [];
  const { attempt, seq: firstSeq } = first;
  return [insertFenced(turnArchives, { turnId, attempt, firstSeq, events: [...events] })];
}

/** Messages steered into the turn; undefined where the attempt does not own it. */
async function countSteered(
  db: Database,
  { turnId, attempt }: TurnAttempt,
): Promise<number | undefined> {
  const [found] = await db
    .select({ steered: turns.steeredMessages })
    .from(turns)
    .where(
      and(
        eq(turns.id, turnId),
        eq(turns.attempt, attempt),
        inArray(turns.status, ['running', 'held']),
      ),
    );
  return found?.steered;
}

async function isArchived(
  db: Database,
  turnId: string,
  [first]: readonly TurnEvent[],
): Promise<boolean> {
  if (first === undefined) return false;
  const { turnId: ofTurn, attempt, firstSeq } = turnArchives;
  const found = await db
    .select({ firstSeq })
    .from(turnArchives)
    .where(and(eq(ofTurn, turnId), eq(attempt, first.attempt), eq(firstSeq, first.seq)));
  return found.length > 0;
}
