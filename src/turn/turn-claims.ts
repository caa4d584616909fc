import { and, asc, eq, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { Database } from '../storage/connection.js';
import { turns, type CancelReason } from '../storage/schema.js';
import { ownedBy } from './fence.js';

const active = inArray(turns.status, ['queued', 'running']);
const unleased = or(isNull(turns.leaseUntil), lt(turns.leaseUntil, sql`now()`));
const leaseEnd = (leaseMs: number) => sql`now() + ${`${leaseMs} milliseconds`}::interval`;

export interface Claim {
  turnId: string;
  sessionId: string;
  attempt: number;
}

/** Who works on a turn. Times are the database's, so that hosts need no common clock. */
export class TurnClaims {
  constructor(
    private readonly db: Database,
    private readonly leaseMs: number,
  ) {}

  /**
   * Takes a turn that nobody works on: raises its attempt and sets the lease, in one statement.
   * Undefined when it has ended or its lease is alive: the second starter leaves.
   */
  async claim(turnId: string, now: Date): Promise<Claim | undefined> {
    const [claimed] = await this.db
      .update(turns)
      .set({
        attempt: sql`${turns.attempt} + 1`,
        status: 'running',
        leaseUntil: leaseEnd(this.leaseMs),
        startedAt: sql`coalesce(${turns.startedAt}, ${now.toISOString()}::timestamptz)`,
      })
      .where(and(eq(turns.id, turnId), active, unleased))
      .returning({ sessionId: turns.sessionId, attempt: turns.attempt });
    return claimed === undefined ? undefined : { turnId, ...claimed };
  }

  /** Extends the lease; `lost` when it is no longer this attempt's. */
  async extend(claim: Claim): Promise<'lost' | { cancel: CancelReason | null }> {
    const [row] = await this.db
      .update(turns)
      .set({ leaseUntil: leaseEnd(this.leaseMs) })
      .where(ownedBy(claim.turnId, claim.attempt))
      .returning({ cancel: turns.cancelReason });
    return row ?? 'lost';
  }

  /** Hands a turn back: the next claim need not wait for the lease to run out. */
  async release(claim: Claim): Promise<void> {
    await this.db
      .update(turns)
      .set({ leaseUntil: null })
      .where(ownedBy(claim.turnId, claim.attempt));
  }

  /** Ends every lease. Only for a process that has the database for itself. */
  async releaseAll(): Promise<void> {
    await this.db.update(turns).set({ leaseUntil: null }).where(eq(turns.status, 'running'));
  }

  /** Turns that have not ended and that nobody works on, oldest first. */
  async unclaimed(): Promise<string[]> {
    const rows = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(and(active, unleased))
      .orderBy(asc(turns.createdAt));
    return rows.map((row) => row.id);
  }
}
