import { sql, type SQL } from 'drizzle-orm';
import type { StoredPart } from '../../storage/shapes/stored-part.js';
import type {
  InheritedPermissions,
  SubagentDecision,
} from '../../storage/shapes/stored-permissions.js';
import type { DayLimits } from '../../storage/shapes/stored-limits.js';
import type { OptionResolution } from '../../storage/shapes/stored-options.js';
import { newId } from '../../platform/ids.js';
import type { Queryable } from '../../storage/connection.js';
import { insertFrom } from '../../storage/insert-from.js';
import { messages } from '../../storage/transcript-schema.js';
import { turnReaders } from '../../storage/reader-schema.js';
import { steeredMessages } from '../../storage/governance-schema.js';
import { turns } from '../../storage/schema.js';
import type { StoredRequest } from '../../storage/shapes/stored-turn.js';
import { findSteeredByKey } from './store-steered-message.js';
import { interval, READER_LEASE_MS } from '../lifecycle/reader-rows.js';

export interface NewTurn {
  sessionId: string;
  /** The principal whose turn it is. */
  principalId: string;
  /** Limits of the principal's day; absent: none. */
  budget?: DayLimits | undefined;
  request: StoredRequest;
  /** Hash of the normalised body: a second use of an idempotency key must have the same. */
  requestHash: string;
  idempotencyKey: string | undefined;
  options: OptionResolution;
  delegation: SubagentDecision;
  parts: StoredPart[];
  now: Date;
  /** The process that serves the turn's reader; absent: the turn needs none. */
  readerProcess?: string | undefined;
  /** Links a subagent's turn to the call that asked for it. */
  child?: { parentTurnId: string; parentCallId: string; childTerms: InheritedPermissions };
}

export interface Insertion {
  id: string;
  /** Most turns that may be queued; no more are stored. */
  most: number;
  /** Behind the active turn of its session; absent: the turn takes the session's lock. */
  held?: { goesFirst: boolean };
}

/** The rows of a turn and of its user message. */
export function turnRows(
  id: string,
  turn: Omit<NewTurn, 'readerProcess'>,
  held?: Insertion['held'],
): { turn: typeof turns.$inferInsert; message: typeof messages.$inferInsert } {
  const { parts, child, now: createdAt, ...stored } = turn;
  const { sessionId, idempotencyKey = null } = turn;
  const status = held === undefined ? 'queued' : 'held';
  return {
    turn: { ...stored, ...child, ...held, id, idempotencyKey, status, createdAt },
    message: { id: newId('msg'), sessionId, turnId: id, role: 'user', parts, createdAt },
  };
}

/**
 * @returns `queue-full` when as many turns wait already, `key-taken` when a message with the turn's
 *   idempotency key was steered into another turn; nothing is stored then.
 */
export async function insertTurn(
  db: Queryable,
  turn: NewTurn,
  insertion: Insertion,
): Promise<'stored' | 'queue-full' | 'key-taken'> {
  const { id, most, held } = insertion;
  if (most <= 0) return 'queue-full';
  const { readerProcess, ...stored } = turn;
  const rows = turnRows(id, stored, held);
  const queued = sql`select count(*) as turns from ${turns} where ${turns.status} = 'queued'`;
  const { sessionId, idempotencyKey } = turn;
  const isUnsteered =
    idempotencyKey === undefined
      ? sql``
      : sql` and not exists (select from ${steeredMessages}
          where session_id = ${sessionId} and idempotency_key = ${idempotencyKey})`;
  const allowed: SQL = sql`queued where queued.turns < ${most}${isUnsteered}`;
  const accepted = insertFrom(allowed, turns, rows.turn, sql`returning id`);
  const message = insertFrom(sql`accepted`, messages, rows.message);
  const inserted = await db.execute(sql`
    with queued as (${queued}), accepted as (${accepted}), message as (${message})
    ${readerProcess === undefined ? sql`` : sql`, reader as (${insertReader(readerProcess)})`}
    select id from accepted`);
  if (inserted.rows.length === 1) return 'stored';
  const isSteered =
    idempotencyKey !== undefined && (await findSteeredByKey(db, sessionId, idempotencyKey));
  return isSteered ? 'key-taken' : 'queue-full';
}

/** The sender of a turn counts as its reader from the moment the turn is stored. */
function insertReader(processId: string): SQL {
  return sql`
    insert into ${turnReaders} (turn_id, process_id, until, has_left)
    select id, ${processId}::text, now() + ${interval(READER_LEASE_MS)}, false from accepted`;
}
