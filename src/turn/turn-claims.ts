import { and, asc, eq, getTableColumns, inArray, isNull, lt, or, sql } from 'drizzle-orm';
import type { SessionRow } from '../session/session-store.js';
import type { Database } from '../storage/connection.js';
import { sessions, turnArchives, turns, type CancelReason } from '../storage/schema.js';
import { ownedBy } from './fence.js';
import type { TurnRow } from './turn-lookup.js';

const active = inArray(turns.status, ['queued', 'running']);
const unleased = or(isNull(turns.leaseUntil), lt(turns.leaseUntil, sql`now()`));
const leaseEnd = (leaseMs: number) => sql`now() + ${`${leaseMs} milliseconds`}::interval`;

/** A turn as it was claimed; its `attempt` is the claimer's fence. */
export interface Claim extends TurnRow {
  session: SessionRow;
  /** Something was said of it before. */
  wasAnnounced: boolean;
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
   *
   * @param only takes it only if no worker has had it yet.
   */
  async claim(turnId: string, now: Date, only?: 'unstarted'): Promise<Claim | undefined> {
    const unstarted = only === undefined ? undefined : eq(turns.status, 'queued');
    const [claimed] = await this.db
      .update(turns)
      .set({
        attempt: sql`${turns.attempt} + 1`,
        status: 'running',
        leaseUntil: leaseEnd(this.leaseMs),
        startedAt: sql`coalesce(${turns.startedAt}, ${now.toISOString()}::timestamptz)`,
      })
      .from(sessions)
      .where(
        and(eq(turns.id, turnId), eq(sessions.id, turns.sessionId), active, unleased, unstarted),
      )
      .returning({
        turn: getTableColumns(turns),
        session: getTableColumns(sessions),
        wasAnnounced: sql<boolean>`exists (select 1 from ${turnArchives} where ${turnArchives.turnId} = ${turns.id})`,
      });
    return claimed === undefined
      ? undefined
      : { ...claimed.turn, session: claimed.session, wasAnnounced: claimed.wasAnnounced };
  }

  /** Extends the lease; `lost` when it is no longer this attempt's. */
  async extend(claim: OwnedTurn): Promise<'lost' | { cancel: CancelReason | null }> {
    const [row] = await this.db
      .update(turns)
      .set({ leaseUntil: leaseEnd(this.leaseMs) })
      .where(ownedBy(claim.id, claim.attempt))
      .returning({ cancel: turns.cancelReason });
    return row ?? 'lost';
  }

  /** Hands a turn back: the next claim need not wait for the lease to run out. */
  async release(claim: OwnedTurn): Promise<void> {
    await this.db.update(turns).set({ leaseUntil: null }).where(ownedBy(claim.id, claim.attempt));
  }

  /** Ends every lease. Only for a process that has the database for itself. */
  async releaseAll(): Promise<void> {
    await this.db.update(turns).set({ leaseUntil: null }).where(eq(turns.status, 'running'));
  }

  /** Turns whose worker is gone or handed them back, oldest first. */
  async lapsed(): Promise<string[]> {
    return this.#unclaimed(and(eq(turns.status, 'running'), unleased));
  }

  /** Turns that no worker has had for `ms` milliseconds, oldest first. */
  async waiting(ms: number): Promise<string[]> {
    const since = sql`now() - ${`${ms} milliseconds`}::interval`;
    return this.#unclaimed(and(eq(turns.status, 'queued'), lt(turns.createdAt, since)));
  }

  async #unclaimed(which: ReturnType<typeof and>): Promise<string[]> {
    const rows = await this.db
      .select({ id: turns.id })
      .from(turns)
      .where(which)
      .orderBy(asc(turns.createdAt));
    return rows.map((row) => row.id);
  }
}

type OwnedTurn = Pick<Claim, 'id' | 'attempt'>;
