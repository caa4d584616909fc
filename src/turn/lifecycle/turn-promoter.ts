import { Inject, Injectable } from '@nestjs/common';
import { and, asc, desc, eq, exists, isNull, ne, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { DATABASE, type Database } from '../../storage/connection.js';
import { violatedConstraint } from '../../storage/database-errors.js';
import { turns } from '../../storage/schema.js';
import { QueueNotifier } from '../queue/queue-notifier.js';

/** Held turns that may be ended while they are promoted, before the sweeper has to go on. */
const MOST_TRIES = 5;

/** Makes held turns queued when their session has no active turn. */
@Injectable()
export class TurnPromoter {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly queue: QueueNotifier,
  ) {}

  /**
   * Promotes the first held turn of a session, if no turn is active, in one statement that the
   * session's lock guards: of two promotions at once, one happens.
   */
  async promoteNext(sessionId: string): Promise<void> {
    const promoted = await this.#promote(sessionId);
    if (promoted === undefined) return;
    this.queue.wakeWorker(promoted);
    await this.queue.publishHeld(sessionId);
  }

  async #promote(sessionId: string): Promise<string | undefined> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const [first] = await this.db
        .select({ id: turns.id })
        .from(turns)
        .where(isPromotable(sessionId))
        .orderBy(desc(turns.goesFirst), asc(turns.createdAt), asc(turns.id))
        .limit(1);
      if (first === undefined) return undefined;
      const result = await this.#tryPromote(sessionId, first.id);
      if (result !== 'gone') return result === 'promoted' ? first.id : undefined;
    }
    // The sweeper goes on.
    return undefined;
  }

  /** @returns `gone` when the turn was asked to end meanwhile; `busy` when another turn is active. */
  async #tryPromote(sessionId: string, turnId: string): Promise<'promoted' | 'gone' | 'busy'> {
    const other = alias(turns, 'other');
    const others = this.db
      .select({ one: sql`1` })
      .from(other)
      .where(and(eq(other.sessionId, sessionId), eq(other.status, 'held'), ne(other.id, turnId)));
    try {
      // Every condition is about the row itself: PostgreSQL checks only those again after a lock wait.
      const promoted = await this.db
        .update(turns)
        .set({ status: 'queued', hasNext: exists(others) })
        .where(and(eq(turns.id, turnId), isPromotable(sessionId)))
        .returning({ id: turns.id });
      return promoted.length === 1 ? 'promoted' : 'gone';
    } catch (error) {
      // The active turn has the session's lock: its end promotes this turn.
      if (violatedConstraint(error) === 'turns_one_active_per_session') return 'busy';
      throw error;
    }
  }
}

/** Rows of held turns that were not asked to end. */
const isPromotable = (sessionId: string) =>
  and(eq(turns.sessionId, sessionId), eq(turns.status, 'held'), isNull(turns.cancelRequestedAt));
