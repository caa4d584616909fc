import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Clock } from '../platform/clock.js';
import { newId } from '../platform/ids.js';
import type { Logger } from '../platform/logger.js';
import type { Database } from '../storage/connection.js';
import { turnReaders, turns, unendedStatuses } from '../storage/schema.js';

/** Between two renewals of what this process reads. A turn that is over before costs nothing. */
export const RENEW_MS = 5_000;

/** How long a process that went silent counts as a reader. */
export const READER_LEASE_MS = 15_000;

const milliseconds = (ms: number) => sql`now() + ${`${ms} milliseconds`}::interval`;

export interface PresenceDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  /** How long a turn goes on without any reader, in ms. */
  graceMs: number;
}

/**
 * Who reads which turn: a row for each process that has readers of it, with a lease. In the
 * database, as a reader's absence ends a turn: a cache that was emptied must not look like it.
 */
export class Presence {
  readonly #processId = newId('proc');
  readonly #counts = new Map<string, number>();
  #cancelTimer = (): void => undefined;
  #stopped = false;

  constructor(private readonly deps: PresenceDeps) {}

  start(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.deps.clock.after(RENEW_MS, () => {
      void this.#try(() => this.#renew([...this.#counts.keys()])).then(() => this.start());
    });
  }

  /**
   * @param isBack the turn may have been without readers: say at once that it has one.
   * @returns what to call, once, when this reader is gone.
   */
  join(turnId: string, isBack: boolean): () => void {
    const count = this.#counts.get(turnId) ?? 0;
    this.#counts.set(turnId, count + 1);
    if (count === 0 && isBack) void this.#try(() => this.#renew([turnId]));
    return () => {
      const left = (this.#counts.get(turnId) ?? 0) - 1;
      if (left > 0) return void this.#counts.set(turnId, left);
      // Forgotten in the meantime: the turn ended while this reader was still attached.
      if (this.#counts.delete(turnId)) void this.#try(() => this.#leave(turnId));
    };
  }

  /** The turn has ended: nobody's absence matters any more. */
  forget(turnId: string): void {
    this.#counts.delete(turnId);
  }

  close(): void {
    this.#stopped = true;
    this.#cancelTimer();
    this.#counts.clear();
  }

  async #renew(turnIds: readonly string[]): Promise<void> {
    const { db } = this.deps;
    if (turnIds.length > 0) await this.#write(turnIds, { until: READER_LEASE_MS, hasLeft: false });
    const { until, processId } = turnReaders;
    await db.delete(turnReaders).where(lt(until, milliseconds(-3_600_000)));
    await db
      .delete(turnReaders)
      .where(and(eq(processId, this.#processId), lt(until, milliseconds(-READER_LEASE_MS))));
  }

  /** A reader that comes back while this is written is told by its own row's renewal. */
  async #leave(turnId: string): Promise<void> {
    await this.#write([turnId], { until: this.deps.graceMs, hasLeft: true });
    if (this.#counts.has(turnId)) await this.#renew([turnId]);
  }

  async #write(turnIds: readonly string[], lease: { until: number; hasLeft: boolean }) {
    const { db } = this.deps;
    const until = milliseconds(lease.until);
    const rows = db
      .select({
        turnId: turns.id,
        processId: sql<string>`${this.#processId}::text`.as('process_id'),
        until: sql<Date>`${until}`.as('until'),
        hasLeft: sql<boolean>`${lease.hasLeft}::boolean`.as('has_left'),
      })
      .from(turns)
      .where(and(inArray(turns.id, [...turnIds]), inArray(turns.status, [...unendedStatuses])));
    await db
      .insert(turnReaders)
      .select(rows)
      .onConflictDoUpdate({
        target: [turnReaders.turnId, turnReaders.processId],
        set: { until, hasLeft: lease.hasLeft },
      });
  }

  /** What could not be written is written with the next renewal; a sweep waits for more than one. */
  async #try(write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.deps.logger.warn({ error }, 'who reads could not be written');
    }
  }
}
