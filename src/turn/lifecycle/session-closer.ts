import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { withDeadline } from '../../platform/async/deadlines.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { sessions, turns } from '../../storage/schema.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { turnInProgress } from '../state/turn-errors.js';
import { TurnFollower } from './turn-follower.js';
import { TurnCanceller } from './turn-canceller.js';

/** Longest time that a request waits for the session's turns to end. */
const END_WAIT_MS = 10_000;

@Injectable()
export class SessionCloser {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sessions: SessionStore,
    private readonly canceller: TurnCanceller,
    private readonly follower: TurnFollower,
  ) {}

  /**
   * Deletes a session. Its turns, and replays of them, are ended first, held turns before the active one, so that
   * the readers of each see its end before its log is gone.
   *
   * @param by the principal who deletes it.
   * @throws TypedError SESSION_NOT_FOUND 404; TURN_IN_PROGRESS 409 when a turn did not end in time.
   */
  async close(sessionId: string, by: string): Promise<void> {
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
    const { clock } = this;
    const giveUpAt = clock.now() + END_WAIT_MS;
    for (;;) {
      const unended = await this.#markUnended(sessionId, reason);
      if (unended.length === 0) return;
      if (clock.now() >= giveUpAt) throw turnInProgress(sessionId);
      for (const { id, status } of unended) {
        // The mark keeps a held turn from being promoted.
        if (status === 'held') await this.canceller.endIdle(id, { reason, which: 'unstarted' });
        else await this.canceller.cancel(id, reason);
        // A turn that lost its worker would wait for another one.
        if (status === 'running') await this.canceller.endIdle(id, { reason, which: 'stranded' });
      }
      for (const { id } of unended) await this.#awaitEnd(id);
    }
  }

  /** Turns that have not ended and are to end, held turns first and marked: none of them begins. */
  async #markUnended(sessionId: string, reason: 'session-deleted' | 'superseded') {
    const ofSession = eq(turns.sessionId, sessionId);
    await this.db
      .update(turns)
      .set({ cancelRequestedAt: sql`now()`, cancelReason: reason })
      .where(and(ofSession, eq(turns.status, 'held'), isNull(turns.cancelRequestedAt)));
    return this.db
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
    const recorded = this.db
      .select({ id: turns.id })
      .from(turns)
      .where(eq(turns.sessionId, sessionId));
    const replays = this.db
      .select({ id: sessions.id })
      .from(sessions)
      .where(inArray(sessions.replayOf, recorded));
    return inArray(turns.sessionId, replays);
  }

  async #awaitEnd(turnId: string): Promise<void> {
    await withDeadline(this.clock, END_WAIT_MS, (signal) =>
      this.follower.follow(turnId, signal, () => false),
    );
  }
}
