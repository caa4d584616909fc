import { and, asc, eq, inArray, isNull, lte, or, sql, desc, gte } from 'drizzle-orm';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../../access/face.js';
import { type Clock, CLOCK, compact, newTimeId } from '../../platform/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import {
  scheduleRuns,
  schedules,
  type PauseReason,
  type RunError,
} from '../../storage/automation-schema.js';
import { addDeliveries } from '../../events/face.js';
import { turns } from '../../storage/schema.js';
import type { ScheduleRow } from './schedule.dto.js';
import type { DueRun, MissedRuns } from './fire-times.js';

/** Time after which another process may claim a claimed schedule, in ms: the one that claimed it has died. */
const LEASE_MS = 30_000;

/** The error for a run that another process has stored, or whose schedule was changed since it was loaded. */
export class RunTaken extends Error {}

/** The outcome of a fire time, with its turn or its error. */
export type RunResult =
  | { outcome: 'submitted'; turnId: string; sessionId: string }
  | { outcome: 'skipped' | 'refused'; error: RunError };

/** The runs of schedules as rows. Any number of processes may claim schedules; only one can settle a fire time. */
@Injectable()
export class ScheduleRunStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** Claims schedules that are due, for `LEASE_MS`. */
  claim(most: number): Promise<ScheduleRow[]> {
    const now = this.clock.now();
    const { id, pausedAt, nextAt, leasedUntil } = schedules;
    const due = this.db.$with('due').as(
      this.db
        .select({ id })
        .from(schedules)
        .where(
          and(
            isNull(pausedAt),
            lte(nextAt, new Date(now)),
            or(isNull(leasedUntil), lte(leasedUntil, new Date(now))),
          ),
        )
        .orderBy(asc(nextAt))
        .limit(most)
        .for('update', { skipLocked: true }),
    );
    return this.db
      .with(due)
      .update(schedules)
      .set({ leasedUntil: new Date(now + LEASE_MS) })
      .where(inArray(id, this.db.select({ id: due.id }).from(due)))
      .returning();
  }

  /** Stores the outcome of a fire time that got no turn, and pauses the schedule if that is due. */
  async settle(
    schedule: ScheduleRow,
    due: DueRun,
    { result, pause }: { result?: RunResult; pause?: PauseReason } = {},
  ): Promise<void> {
    await this.db.transaction(async (tx) => {
      await this.settleIn(tx, schedule, due, result);
      const fails = result?.outcome === 'refused' && (await hasFailedTooOften(tx, schedule));
      const reason = pause ?? (fails ? 'failures' : undefined);
      if (reason !== undefined) await this.pauseIn(tx, schedule, reason);
    });
  }

  /**
   * Moves the schedule to its next fire time and stores the outcomes of the fire times before that.
   *
   * @throws RunTaken, which takes the transaction back.
   */
  async settleIn(
    tx: Queryable,
    schedule: ScheduleRow,
    { fireAt, missed, next }: DueRun,
    result?: RunResult,
  ): Promise<void> {
    const { id, revision, nextAt } = schedule;
    const moved = await tx
      .update(schedules)
      .set({ nextAt: new Date(next), leasedUntil: null })
      .where(
        and(
          eq(schedules.id, id),
          eq(schedules.revision, revision),
          eq(schedules.nextAt, nextAt),
          isNull(schedules.pausedAt),
        ),
      )
      .returning({ id: schedules.id });
    if (moved.length === 0) throw new RunTaken(`The run of ${id} is taken`);
    if (missed !== undefined) await this.#storeMissed(tx, schedule, missed);
    if (fireAt !== undefined && result !== undefined) {
      await this.storeRun(tx, {
        ...this.#newRun(id),
        ...result,
        cause: 'slot',
        fireAt: new Date(fireAt),
      });
    }
  }

  /**
   * Stores a run that a principal asks for, beside the fire times.
   *
   * @throws RunTaken: the trigger's key was used, or the schedule was deleted since it was loaded.
   */
  async triggerIn(
    tx: Queryable,
    { id }: Pick<ScheduleRow, 'id'>,
    { triggerKey, ...result }: RunResult & { triggerKey: string | undefined },
  ): Promise<void> {
    // The row is locked: the schedule's runs see each other's turns.
    const locked = await tx
      .select({ id: schedules.id })
      .from(schedules)
      .where(eq(schedules.id, id))
      .for('update');
    if (locked.length === 0) throw new RunTaken(`The schedule ${id} was deleted`);
    const run = this.#newRun(id);
    await this.storeRun(tx, {
      ...run,
      ...result,
      ...compact({ triggerKey }),
      cause: 'trigger',
      fireAt: run.createdAt,
    });
  }

  /** Pauses a schedule for a reason of the server's. */
  async pause(schedule: ScheduleRow, reason: PauseReason): Promise<void> {
    await this.db.transaction((tx) => this.pauseIn(tx, schedule, reason));
  }

  async pauseIn(
    tx: Queryable,
    { id, key, principalId, revision }: ScheduleRow,
    reason: PauseReason,
  ): Promise<void> {
    const at = new Date(this.clock.now());
    const paused = await tx
      .update(schedules)
      .set({
        pausedAt: at,
        pauseReason: reason,
        leasedUntil: null,
        revision: sql`${schedules.revision} + 1`,
      })
      .where(
        and(eq(schedules.id, id), eq(schedules.revision, revision), isNull(schedules.pausedAt)),
      )
      .returning({ id: schedules.id });
    if (paused.length === 0) throw new RunTaken(`The schedule ${id} was changed`);
    const details = { principal: principalId, key, reason };
    const entry = {
      by: { id: 'server' },
      action: 'schedule.paused',
      subject: id,
      details,
    } as const;
    await this.audit.write(entry, tx);
    await addDeliveries(tx, {
      id: eventId(id, `${revision}_paused`),
      type: 'schedule.paused',
      principalId,
      facts: { scheduleId: id, key, reason },
      at,
    });
  }

  async storeRun(tx: Queryable, run: typeof scheduleRuns.$inferInsert): Promise<void> {
    const stored = await tx
      .insert(scheduleRuns)
      .values(run)
      .onConflictDoNothing()
      .returning({ id: scheduleRuns.id });
    if (stored.length === 0) throw new RunTaken(`The run of ${run.scheduleId} is stored already`);
  }

  async #storeMissed(
    tx: Queryable,
    { id, key, principalId }: ScheduleRow,
    { first, count, until }: MissedRuns,
  ): Promise<void> {
    const run = this.#newRun(id);
    const [fireAt, missedUntil] = [new Date(first), new Date(until)];
    await this.storeRun(tx, {
      ...run,
      cause: 'slot',
      fireAt,
      outcome: 'missed',
      missed: count,
      missedUntil,
    });
    await addDeliveries(tx, {
      id: eventId(run.id, 'missed'),
      type: 'schedule.missed',
      principalId,
      facts: {
        scheduleId: id,
        key,
        slot: fireAt.toISOString(),
        count,
        until: missedUntil.toISOString(),
      },
      at: run.createdAt,
    });
  }

  #newRun(scheduleId: string) {
    const now = this.clock.now();
    return { id: newTimeId('run', now), scheduleId, createdAt: new Date(now) };
  }
}

function eventId(id: string, what: string): string {
  return `evt_${id.slice(id.indexOf('_') + 1)}_${what}`;
}

/** Failures in a row after which a schedule is paused. */
export const MAX_FAILURES = 5;

/** Whether the last runs that came to an end all failed, as many as pause a schedule. */
export async function hasFailedTooOften(
  db: Queryable,
  { id, failuresFrom }: Pick<ScheduleRow, 'id' | 'failuresFrom'>,
): Promise<boolean> {
  const { scheduleId, outcome, createdAt } = scheduleRuns;
  const ended = await db
    .select({ outcome, status: turns.status })
    .from(scheduleRuns)
    .leftJoin(turns, eq(turns.id, scheduleRuns.turnId))
    .where(
      and(
        eq(scheduleId, id),
        gte(createdAt, failuresFrom),
        or(
          eq(outcome, 'refused'),
          inArray(turns.status, ['completed', 'limited', 'interrupted', 'failed']),
        ),
      ),
    )
    .orderBy(desc(scheduleRuns.id))
    .limit(MAX_FAILURES);
  const failed = ended.filter((run) => run.outcome === 'refused' || run.status === 'failed');
  return failed.length === MAX_FAILURES;
}

/** Age of the oldest fire time that is due and has no outcome, in seconds; 0 without one. */
export async function findLateSeconds(db: Queryable): Promise<number> {
  const { nextAt, pausedAt } = schedules;
  const [found] = await db
    .select({ seconds: sql`extract(epoch from now() - min(${nextAt}))`.mapWith(Number) })
    .from(schedules)
    .where(and(isNull(pausedAt), sql`${nextAt} <= now()`));
  return found?.seconds ?? 0;
}
