import { and, exists, eq, gt, inArray, isNull, lt, not, notExists, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Clock } from '../platform/clock.js';
import type { Database } from '../storage/connection.js';
import { approvals } from '../storage/governance-schema.js';
import { turnReaders, turns, unendedStatuses } from '../storage/schema.js';
import { READER_LEASE_MS, RENEW_MS } from './presence.js';
import type { SignalBus } from './signal-bus.js';

export interface AbandonedTurnsDeps {
  db: Database;
  bus: Pick<SignalBus, 'publishCancel'>;
  clock: Clock;
  /** How long a turn goes on without any reader, in ms. */
  graceMs: number;
}

/** Turns that end with their readers and have had none, on any process, for the grace. */
export class AbandonedTurns {
  #lookingSince: number | undefined;

  constructor(private readonly deps: AbandonedTurnsDeps) {}

  /** Marks them for their workers to end. */
  async cancel(): Promise<void> {
    const { bus, clock } = this.deps;
    this.#lookingSince ??= clock.now();
    try {
      for (const { id } of await this.#mark()) await bus.publishCancel(id);
    } catch (error) {
      this.#lookingSince = undefined;
      throw error;
    }
  }

  #mark(): Promise<{ id: string }[]> {
    const { db, clock, graceMs } = this.deps;
    const asked = alias(turns, 'asked');
    const readers = (which: ReturnType<typeof and>) =>
      db
        .select({ one: sql`1` })
        .from(turnReaders)
        .where(and(eq(turnReaders.turnId, turns.id), which));
    const everybodyLeft = and(
      exists(readers(eq(turnReaders.hasLeft, true))),
      notExists(readers(eq(turnReaders.hasLeft, false))),
    );
    // A reader that came first thing is known after one renewal at the latest.
    const comeByMs = Math.max(graceMs, RENEW_MS * 1.5);
    const since = sql`now() - ${`${comeByMs} milliseconds`}::interval`;
    // Who was away, or whose database was, does not know who read meanwhile: it looks on first.
    const looksOn = clock.now() - (this.#lookingSince ?? 0) < READER_LEASE_MS;
    const nobodyCame = looksOn ? undefined : lt(turns.createdAt, since);
    return db
      .update(turns)
      .set({ cancelRequestedAt: sql`now()`, cancelReason: 'disconnect' })
      .where(
        and(
          inArray(turns.status, [...unendedStatuses]),
          isNull(turns.cancelRequestedAt),
          sql`${turns.options} -> 'options' ->> 'onDisconnect' = 'cancel'`,
          // A person was asked, by it or by a subagent: who answers need not read.
          notExists(
            db
              .select({ one: sql`1` })
              .from(approvals)
              .innerJoin(asked, eq(asked.id, approvals.turnId))
              .where(or(eq(asked.id, turns.id), eq(asked.parentTurnId, turns.id))),
          ),
          not(exists(readers(gt(turnReaders.until, sql`now()`)))),
          or(everybodyLeft, nobodyCame),
        ),
      )
      .returning({ id: turns.id });
  }
}
