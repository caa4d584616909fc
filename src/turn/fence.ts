import { and, eq } from 'drizzle-orm';
import { FencedError } from '../events/event-log.js';
import type { Queryable } from '../storage/connection.js';
import { turns } from '../storage/schema.js';

/**
 * The first statement of every durable write of a worker. It locks the turn's row, so that no
 * other attempt can begin until the write is done.
 *
 * @throws FencedError when the turn has ended or belongs to a later attempt.
 */
export async function assertFence(tx: Queryable, turnId: string, attempt: number): Promise<void> {
  const [turn] = await tx
    .select({ attempt: turns.attempt, status: turns.status })
    .from(turns)
    .where(eq(turns.id, turnId))
    .for('update');
  if (turn?.attempt !== attempt || turn.status !== 'running') {
    throw new FencedError(turnId, attempt, turn?.attempt ?? 0);
  }
}

/** Rows of a turn that this attempt may still write. */
export function ownedBy(turnId: string, attempt: number) {
  return and(eq(turns.id, turnId), eq(turns.attempt, attempt), eq(turns.status, 'running'));
}
