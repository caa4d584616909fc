import type { Actor } from '../../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { withDeadline } from '../../platform/async/deadlines.js';
import { SessionStore } from '../../session/session-store.js';
import { sessions, turns } from '../../storage/schema.js';
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
import { QueueNotifier } from '../queue/queue-notifier.js';
import { TurnClaims } from '../queue/turn-claims.js';
import { turnInProgress } from '../state/turn-errors.js';
import { askToEnd } from '../state/turn-row.js';
import { Lease } from '../state/lease.js';
import { endTurn, flushLog } from './end-turn.js';
import { TurnFollower } from './turn-follower.js';

/**
 * The state of a turn when its cancel came; `ended`: no worker had the turn, and it has ended
 * already.
 */
export type CancelState = 'ended' | 'running' | 'in-tool';

/** Longest time that a request waits for the session's turns to end. */
const END_WAIT_MS = 10_000;

/** Ends turns that somebody asked to end. */
@Injectable()
export class TurnCanceller {
  constructor(
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    private readonly services: AttemptServices,
    private readonly claims: TurnClaims,
    private readonly queue: QueueNotifier,
    private readonly follower: TurnFollower,
    private readonly sessions: SessionStore,
  ) {}

  /**
   * Asks for the end of a turn: a durable mark, then a hint to its worker, who reads the mark with its
   * next heartbeat at the latest. A turn that no worker has is ended at once. The first reason stays;
   * asking twice is asking once; a turn that has ended is left alone.
   */
  async cancel(turnId: string, reason: CancelReason): Promise<CancelState> {
    const {
      bus,
      services: { db, clock, logger },
    } = this;
    const [marked] = await db
      .update(turns)
      .set(askToEnd(new Date(clock.now()), reason))
      .where(and(eq(turns.id, turnId), isUnended))
      .returning({ status: turns.status, reason: turns.cancelReason });
    // Subagents are cancelled here too, and not only by the turn's worker: they may keep the only
    // worker from the turn.
    for (const { id } of await this.#findSubagents(turnId)) await this.cancel(id, 'parent-ended');
    const which = marked && withoutWorker[marked.status];
    const first = marked?.reason ?? reason;
    if (which !== undefined && (await this.endIdle(turnId, { reason: first, which })))
      return 'ended';
    // A lost hint costs time, not the cancel: nobody waits for it.
    bus
      .publishCancel(turnId)
      .catch((error: unknown) =>
        logger.warn(
          { turnId, error },
          'could not tell the worker of a cancellation; the worker sees it at its next lease renewal',
        ),
      );
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
    const {
      claims,
      services: { clock },
    } = this;
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
    const attempt = await openAttempt(this.services, claim, {
      lease: new Lease(),
    });
    await announceStart(attempt);
    const ended = await endTurn(attempt, { outcome: 'interrupted', exitCode: 130, reason });
    if (ended.type === 'stored' && ended.hasNext) await this.queue.promoteNext(claim.sessionId);
    await flushLog(attempt);
  }

  /**
   * Deletes a session. Its turns, and replays of them, are ended first, held turns before the active one, so that
   * the readers of each see its end before its log is gone.
   *
   * @param by the principal who deletes it.
   * @throws TypedError SESSION_NOT_FOUND 404; TURN_IN_PROGRESS 409 when a turn did not end in time.
   */
  async closeSession(sessionId: string, by: Actor): Promise<void> {
    const { sessions } = this;
    await sessions.get(sessionId);
    await this.endTurns(sessionId, 'session-deleted');
    await sessions.delete(sessionId, by);
  }

  /**
   * Ends all turns of a session, held turns before the active one; where it is to be deleted, replays of them too.
   *
   * @throws TypedError TURN_IN_PROGRESS 409 when a turn did not end in time.
   */
  async endTurns(sessionId: string, reason: 'session-deleted' | 'superseded'): Promise<void> {
    const { clock } = this.services;
    const giveUpAt = clock.now() + END_WAIT_MS;
    for (;;) {
      const unended = await this.#markUnended(sessionId, reason);
      if (unended.length === 0) return;
      if (clock.now() >= giveUpAt) throw turnInProgress(sessionId);
      for (const { id, status } of unended) {
        // The mark keeps a held turn from being promoted.
        if (status === 'held') await this.endIdle(id, { reason, which: 'unstarted' });
        else await this.cancel(id, reason);
        // A turn that lost its worker would wait for another one.
        if (status === 'running') await this.endIdle(id, { reason, which: 'stranded' });
      }
      for (const { id } of unended) await this.#awaitEnd(id);
    }
  }

  /** Turns that have not ended and are to end, held turns first and marked: none of them begins. */
  async #markUnended(sessionId: string, reason: 'session-deleted' | 'superseded') {
    const ofSession = eq(turns.sessionId, sessionId);
    await this.services.db
      .update(turns)
      .set({ cancelRequestedAt: sql`now()`, cancelReason: reason })
      .where(and(ofSession, eq(turns.status, 'held'), isNull(turns.cancelRequestedAt)));
    return this.services.db
      .select({ id: turns.id, status: turns.status })
      .from(turns)
      .where(
        and(
          reason === 'superseded' ? ofSession : or(ofSession, this.#isReplayIn(sessionId)),
          inArray(turns.status, [...unendedStatuses]),
        ),
      )
      .orderBy(sql`${turns.status} <> 'held'`, asc(turns.createdAt));
  }

  /** Whether a turn is a replay of one of the session. */
  #isReplayIn(sessionId: string) {
    const recorded = this.services.db
      .select({ id: turns.id })
      .from(turns)
      .where(eq(turns.sessionId, sessionId));
    const replays = this.services.db
      .select({ id: sessions.id })
      .from(sessions)
      .where(inArray(sessions.replayOf, recorded));
    return inArray(turns.sessionId, replays);
  }

  async #awaitEnd(turnId: string): Promise<void> {
    await withDeadline(this.services.clock, END_WAIT_MS, (signal) =>
      this.follower.follow(turnId, signal, () => false),
    );
  }

  #findSubagents(turnId: string): Promise<{ id: string }[]> {
    return this.services.db
      .select({ id: turns.id })
      .from(turns)
      .where(and(eq(turns.parentTurnId, turnId), isUnended, isNull(turns.cancelRequestedAt)));
  }
}

const isUnended = inArray(turns.status, [...unendedStatuses]);

/** Statuses of turns that no worker has, with the kind of claim that takes them. */
const withoutWorker: Partial<Record<TurnStatus, 'unstarted' | 'parked'>> = {
  held: 'unstarted',
  queued: 'unstarted',
  waiting: 'parked',
};
