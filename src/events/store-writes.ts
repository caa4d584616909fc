import { and, eq, inArray, sql, type SQL } from 'drizzle-orm';
import { isPlainObject } from '../platform/json.js';
import { violatedConstraint } from '../storage/constraint.js';
import type { Database } from '../storage/connection.js';
import { insertFenced } from '../storage/insert-from.js';
import { turnArchives, turns } from '../storage/schema.js';
import { FencedError } from './event-log.js';
import type { TurnEvent } from './turn-event.js';

/**
 * A part of a fenced statement: a data-modifying `with` query that takes its rows from `fence`,
 * the turn's row (`fence.id`), which is there only while the attempt owns the turn.
 */
export type Write = SQL;

export interface Owner {
  turnId: string;
  attempt: number;
}

export interface WritesWithEvents {
  facts: readonly Write[];
  /** What tells them, and what was said before and is not archived yet. */
  events: readonly TurnEvent[];
  /** An earlier try ended without an answer, and may have stored it all. */
  isRepeat: boolean;
  /** Stored only if no more messages than these have joined the turn. */
  heard?: number;
}

/** `unheard`: a message joined the turn that was not heard; nothing was stored. */
export type Stored = { type: 'stored'; hasNext: boolean } | { type: 'unheard'; joined: number };

/**
 * Stores facts with the events that tell them, in one statement: all of it, or nothing when the
 * attempt no longer owns the turn. The turn's row is locked, so that no other attempt can begin
 * before the statement is done.
 *
 * @throws FencedError; what the database threw.
 */
export async function storeWrites(
  db: Database,
  { turnId, attempt }: Owner,
  { facts, events, isRepeat, heard }: WritesWithEvents,
): Promise<Stored> {
  // A column of the locked row: it is looked at again when a message has just joined.
  const hasHeard = heard === undefined ? sql`` : sql` and joined_messages <= ${heard}`;
  const fence = sql`with fence as (
    select id, has_next from turns
    where id = ${turnId} and attempt = ${attempt} and status in ('running', 'held')${hasHeard}
    for update)`;
  const parts = [...facts, ...archived(turnId, events)].map(
    (fact, index) => sql`, ${sql.raw(`fact_${index}`)} as (${fact})`,
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
  // The sweeper looks for what may be held behind it.
  if (isRepeat && (await isArchived(db, turnId, events))) {
    return { type: 'stored', hasNext: false };
  }
  const joined = heard === undefined ? undefined : await countJoined(db, { turnId, attempt });
  if (joined !== undefined) return { type: 'unheard', joined };
  throw new FencedError(turnId, attempt);
}

function archived(turnId: string, events: readonly TurnEvent[]): Write[] {
  const [first] = events;
  if (first === undefined) return [];
  const { attempt, seq: firstSeq } = first;
  return [insertFenced(turnArchives, { turnId, attempt, firstSeq, events: [...events] })];
}

/** Of a turn that the attempt owns; undefined: it does not. */
async function countJoined(db: Database, { turnId, attempt }: Owner): Promise<number | undefined> {
  const [found] = await db
    .select({ joined: turns.joinedMessages })
    .from(turns)
    .where(
      and(
        eq(turns.id, turnId),
        eq(turns.attempt, attempt),
        inArray(turns.status, ['running', 'held']),
      ),
    );
  return found?.joined;
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
