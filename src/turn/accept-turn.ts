import { sql, type SQL } from 'drizzle-orm';
import type { StoredPart } from '../attachments/stored-part.js';
import type { SubagentDecision } from '../governance/subagent-gate.js';
import type { OptionResolution } from '../options/resolve-options.js';
import { newId, newTimeId } from '../platform/ids.js';
import { violatedConstraint } from '../storage/constraint.js';
import type { Database, Queryable } from '../storage/connection.js';
import { insertFrom } from '../storage/insert-from.js';
import { lockFor } from '../storage/lock.js';
import { messages, turns, type TurnRequest } from '../storage/schema.js';

export interface NewTurn {
  sessionId: string;
  request: TurnRequest;
  /** Of the normalised body: tells whether an idempotency key is used for the same one. */
  requestHash: string;
  idempotencyKey: string | undefined;
  options: OptionResolution;
  delegation: SubagentDecision;
  parts: StoredPart[];
  now: Date;
}

export type Acceptance =
  | { type: 'accepted'; turnId: string }
  | { type: 'busy' }
  | { type: 'key-taken' }
  | { type: 'session-gone' }
  | { type: 'queue-full' };

/**
 * Acceptances that may be under way at once in the whole deployment, and do not see each other.
 * As far from the limit as this they cannot overrun it; nearer they go one by one.
 */
const MOST_AT_ONCE = 500;

/**
 * Stores the turn and its user message in one statement. The partial unique index on the session
 * is the lock: of two racing turns, the database takes one.
 */
export async function acceptTurn(
  db: Database,
  turn: NewTurn,
  queueDepth: number,
): Promise<Acceptance> {
  const turnId = newTimeId('turn', turn.now.getTime());
  try {
    const isFarFromFull = await insertTurn(db, { turnId, turn, most: queueDepth - MOST_AT_ONCE });
    if (isFarFromFull) return { type: 'accepted', turnId };
    const hasRoom = await db.transaction(async (tx) => {
      await lockFor(tx, 'accept-turn');
      return insertTurn(tx, { turnId, turn, most: queueDepth });
    });
    return hasRoom ? { type: 'accepted', turnId } : { type: 'queue-full' };
  } catch (error) {
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

/** @returns false, and nothing stored, when `most` turns wait already. */
async function insertTurn(
  db: Queryable,
  { turnId, turn, most }: { turnId: string; turn: NewTurn; most: number },
): Promise<boolean> {
  if (most <= 0) return false;
  const { sessionId, request, requestHash, idempotencyKey, options, delegation, parts, now } = turn;
  const waiting = sql`select count(*) as turns from ${turns} where ${turns.status} = 'queued'`;
  const room: SQL = sql`waiting where waiting.turns < ${most}`;
  const row = { id: turnId, sessionId, status: 'queued' as const, createdAt: now };
  const accepted = insertFrom(
    room,
    turns,
    { ...row, request, requestHash, idempotencyKey: idempotencyKey ?? null, options, delegation },
    sql`returning id`,
  );
  const message = insertFrom(sql`accepted`, messages, {
    id: newId('msg'),
    sessionId,
    turnId,
    role: 'user',
    parts,
    createdAt: now,
  });
  const { rows } = await db.execute(sql`
    with waiting as (${waiting}), accepted as (${accepted}), message as (${message})
    select id from accepted`);
  return rows.length === 1;
}
