import { count, eq } from 'drizzle-orm';
import type { StoredPart } from '../attachments/stored-part.js';
import type { OptionResolution } from '../options/resolve-options.js';
import { newId } from '../platform/ids.js';
import { violatedConstraint } from '../storage/constraint.js';
import type { Database } from '../storage/connection.js';
import { messages, turns, type TurnRequest } from '../storage/schema.js';

export interface NewTurn {
  sessionId: string;
  request: TurnRequest;
  /** Of the normalised body: tells whether an idempotency key is used for the same one. */
  requestHash: string;
  idempotencyKey: string | undefined;
  options: OptionResolution;
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
 * Stores the turn and its user message in one transaction. The partial unique index on the
 * session is the lock: of two racing turns, the database takes one.
 */
export async function acceptTurn(
  db: Database,
  turn: NewTurn,
  queueDepth: number,
): Promise<Acceptance> {
  const turnId = newId('turn');
  try {
    return await db.transaction(async (tx): Promise<Acceptance> => {
      const [waiting] = await tx
        .select({ turns: count() })
        .from(turns)
        .where(eq(turns.status, 'queued'));
      if ((waiting?.turns ?? 0) >= queueDepth) return { type: 'queue-full' };
      await tx.insert(turns).values({
        id: turnId,
        sessionId: turn.sessionId,
        status: 'queued',
        request: turn.request,
        requestHash: turn.requestHash,
        idempotencyKey: turn.idempotencyKey ?? null,
        options: turn.options,
        createdAt: turn.now,
      });
      await tx.insert(messages).values({
        id: newId('msg'),
        sessionId: turn.sessionId,
        turnId,
        role: 'user',
        parts: turn.parts,
        createdAt: turn.now,
      });
      return { type: 'accepted', turnId };
    });
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
