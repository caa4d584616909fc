import { Inject, Injectable } from '@nestjs/common';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';
import { toolCalls } from '../../storage/transcript-schema.js';
import {
  unendedStatuses,
  type CancelReason,
  type TurnStatus,
} from '../../storage/shapes/stored-turn.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import { FencedError } from '../../events/event-log.js';
import { announceStart } from '../attempt/start-events.js';
import { openAttempt } from '../attempt/open-attempt.js';
import { AttemptServices } from '../state/attempt-services.js';
import type { Claim } from '../state/attempt.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { Lease } from '../state/lease.js';
import { endTurn, flushLog } from './end-turn.js';
import { TurnPromoter } from './turn-promoter.js';

/**
 * The state of a turn when its cancel came; `ended`: no worker had the turn, and it has ended
 * already.
 */
export type CancelState = 'ended' | 'running' | 'in-tool';

/** Ends turns that somebody asked to end. */
@Injectable()
export class TurnCanceller {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly services: AttemptServices,
    private readonly claims: TurnClaims,
    private readonly promoter: TurnPromoter,
  ) {}

  /**
   * Asks for the end of a turn: a durable mark, then a hint to its worker, who reads the mark with its
   * next heartbeat at the latest. A turn that no worker has is ended at once. The first reason stays;
   * asking twice is asking once; a turn that has ended is left alone.
   */
  async cancel(turnId: string, reason: CancelReason): Promise<CancelState> {
    const { db, bus, logger } = this;
    const [marked] = await db
      .update(turns)
      .set({ cancelRequestedAt: new Date(this.clock.now()), cancelReason: reason })
      .where(and(eq(turns.id, turnId), isCancellable))
      .returning({ status: turns.status });
    // Subagents are cancelled here too, and not only by the turn's worker: they may keep the only
    // worker from the turn.
    for (const { id } of await this.#findSubagents(turnId)) await this.cancel(id, 'parent-ended');
    const which = marked === undefined ? undefined : withoutWorker[marked.status];
    if (which !== undefined && (await this.endIdle(turnId, { reason, which }))) return 'ended';
    // A lost hint costs time, not the cancel: nobody waits for it.
    bus
      .publishCancel(turnId)
      .catch((error: unknown) => logger.warn({ turnId, error }, 'a cancel hint was lost'));
    const inTool = await db
      .select({ callId: toolCalls.callId })
      .from(toolCalls)
      .where(and(eq(toolCalls.turnId, turnId), eq(toolCalls.status, 'claimed')));
    return inTool.length > 0 ? 'in-tool' : 'running';
  }

  /**
   * Ends a turn that no worker has, in this process: it need not wait for a worker.
   *
   * @param which a turn that no worker has had, a parked one, or one that lost its worker.
   * @returns false when a worker was quicker, or took the turn over meanwhile: it ends what was asked to end.
   */
  async endIdle(
    turnId: string,
    { reason, which }: { reason: CancelReason; which: 'unstarted' | 'parked' | 'stranded' },
  ): Promise<boolean> {
    const { claims, clock } = this;
    const claim = await claims.claimToEnd(turnId, new Date(clock.now()), which);
    if (claim === undefined) return false;
    try {
      await this.#endClaimed(claim, reason);
      return true;
    } catch (error) {
      if (error instanceof FencedError) return false;
      throw error;
    }
  }

  async #endClaimed(claim: Claim, reason: CancelReason): Promise<void> {
    const { attempt, earlier } = await openAttempt(this.services, claim, {
      lease: new Lease(),
    });
    await announceStart(attempt, earlier.length > 0);
    const ended = await endTurn(attempt, { outcome: 'interrupted', exitCode: 130, reason });
    if (ended.type === 'stored' && ended.hasNext) await this.promoter.promoteNext(claim.sessionId);
    await flushLog(attempt);
  }

  #findSubagents(turnId: string): Promise<{ id: string }[]> {
    return this.db
      .select({ id: turns.id })
      .from(turns)
      .where(and(eq(turns.parentTurnId, turnId), isCancellable));
  }
}

const isCancellable = and(
  inArray(turns.status, [...unendedStatuses]),
  isNull(turns.cancelRequestedAt),
);

/** Statuses of turns that no worker has, with the kind of claim that takes them. */
const withoutWorker: Partial<Record<TurnStatus, 'unstarted' | 'parked'>> = {
  held: 'unstarted',
  queued: 'unstarted',
  waiting: 'parked',
};
