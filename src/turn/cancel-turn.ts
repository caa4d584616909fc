import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../storage/connection.js';
import { turns, type CancelReason } from '../storage/schema.js';
import type { SignalBus } from './signal-bus.js';

export interface CancelDeps {
  db: Database;
  bus: SignalBus;
  clock: Clock;
}

/**
 * Asks for the end of a turn: a durable mark, then a hint to whoever runs it. The first reason
 * stays; asking twice is asking once; a turn that has ended is left alone.
 */
export async function cancelTurn(
  { db, bus, clock }: CancelDeps,
  turnId: string,
  reason: CancelReason,
): Promise<void> {
  await db
    .update(turns)
    .set({ cancelRequestedAt: new Date(clock.now()), cancelReason: reason })
    .where(
      and(
        eq(turns.id, turnId),
        inArray(turns.status, ['queued', 'running']),
        isNull(turns.cancelRequestedAt),
      ),
    );
  await bus.publishCancel(turnId);
}
