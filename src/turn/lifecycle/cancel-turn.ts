import { and, eq, inArray, isNull } from 'drizzle-orm';
import { turns } from '../../storage/schema.js';
import { toolCalls } from '../../storage/transcript-schema.js';
import {
  unendedStatuses,
  type CancelReason,
  type TurnStatus,
} from '../../storage/shapes/stored-turn.js';
import { endWaitingTurn } from './end-waiting-turn.js';
import type { TurnServices } from '../state/turn-services.js';

/** Where a request for the end met the turn; `ended`: it had not begun, and has ended already. */
export type CancelState = 'ended' | 'running' | 'in-tool';

/**
 * Asks for the end of a turn: a durable mark, then a hint to whoever runs it, who reads the mark
 * with its next heartbeat at the latest. A turn that still waits is ended at once. The first reason
 * stays; asking twice is asking once; a turn that has ended is left alone.
 */
export async function cancelTurn(
  services: TurnServices,
  turnId: string,
  reason: CancelReason,
): Promise<CancelState> {
  const { db, bus, clock, logger } = services;
  const [marked] = await db
    .update(turns)
    .set({ cancelRequestedAt: new Date(clock.now()), cancelReason: reason })
    .where(
      and(
        eq(turns.id, turnId),
        inArray(turns.status, [...unendedStatuses]),
        isNull(turns.cancelRequestedAt),
      ),
    )
    .returning({ status: turns.status });
  // Here and not by its worker alone: it may have none, while they keep the only one there is.
  for (const { id } of await findSubagents(services, turnId)) {
    await cancelTurn(services, id, 'parent-ended');
  }
  const which = marked === undefined ? undefined : withoutWorker[marked.status];
  if (which !== undefined && (await endWaitingTurn(services, turnId, { reason, which })))
    return 'ended';
  // A hint that is lost costs time, not the cancel: nobody waits for it.
  bus
    .publishCancel(turnId)
    .catch((error: unknown) => logger.warn({ turnId, error }, 'a cancel hint was lost'));
  const inTool = await db
    .select({ callId: toolCalls.callId })
    .from(toolCalls)
    .where(and(eq(toolCalls.turnId, turnId), eq(toolCalls.status, 'claimed')));
  return inTool.length > 0 ? 'in-tool' : 'running';
}

function findSubagents({ db }: TurnServices, turnId: string): Promise<{ id: string }[]> {
  return db
    .select({ id: turns.id })
    .from(turns)
    .where(
      and(
        eq(turns.parentTurnId, turnId),
        inArray(turns.status, [...unendedStatuses]),
        isNull(turns.cancelRequestedAt),
      ),
    );
}

/** Turns that no worker has, and how they are taken to be ended. */
const withoutWorker: Partial<Record<TurnStatus, 'unstarted' | 'parked'>> = {
  held: 'unstarted',
  queued: 'unstarted',
  waiting: 'parked',
};
