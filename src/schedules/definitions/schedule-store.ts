import { Inject, Injectable } from '@nestjs/common';
import { and, asc, count, eq, max, sql } from 'drizzle-orm';
import { AuditLog, type AuditAction } from '../../access/audit-log.js';
import { CONFIG, type Config } from '../../config/config.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { newId } from '../../platform/ids.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { lockKey } from '../../storage/statements.js';
import { scheduleRuns, schedules } from '../../storage/automation-schema.js';
import { scheduleExists, scheduleLimit, scheduleNotFound } from '../schedule-errors.js';
import type { ScheduleRow } from '../schedule-row.js';
import { Slots } from '../timing/slots.js';

/** The name of a schedule: its principal, and the principal's own name for it. */
export interface ScheduleName {
  principalId: string;
  key: string;
}

/** What a principal says of a schedule. */
export type Definition = Pick<
  ScheduleRow,
  | 'cron'
  | 'tz'
  | 'sessionId'
  | 'agent'
  | 'projectRoot'
  | 'message'
  | 'opts'
  | 'overlap'
  | 'catchUpMs'
>;

/** A definition, and the API key that the schedule acts with; null: none. */
export type KeyedDefinition = Definition & Pick<ScheduleRow, 'keyId'>;

/** Schedules as rows. An action and its audit entry are one transaction; each raises the revision. */
@Injectable()
export class ScheduleStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'schedulesPerPrincipal'>,
    private readonly audit: AuditLog,
  ) {}

  /** A principal's schedules, by their keys. */
  list(principalId: string): Promise<ScheduleRow[]> {
    return this.db
      .select()
      .from(schedules)
      .where(eq(schedules.principalId, principalId))
      .orderBy(asc(schedules.key));
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async get(name: ScheduleName, db: Queryable = this.db): Promise<ScheduleRow> {
    const schedule = await find(db, name);
    if (schedule === undefined) throw scheduleNotFound(name.key);
    return schedule;
  }

  /**
   * Creates the schedule, or gives the one of that name another definition. Its next slot stays where its times do:
   * a definition that is put again loses no slot.
   *
   * @param isNew refuses a key that is taken.
   * @throws TypedError SCHEDULE_LIMIT 429; SCHEDULE_EXISTS 412.
   */
  put(name: ScheduleName, definition: KeyedDefinition, isNew: boolean): Promise<ScheduleRow> {
    return this.db.transaction(async (tx) => {
      await lockKey(tx, 'principal', name.principalId);
      const existing = await find(tx, name);
      if (existing !== undefined && isNew) throw scheduleExists(name.key);
      if (existing !== undefined) return this.#change(tx, existing, definition);
      await this.#checkLimit(tx, name.principalId);
      const now = this.clock.now();
      const [createdAt, nextAt] = [new Date(now), this.#nextAt(definition, now)];
      const times = { nextAt, failuresFrom: createdAt, createdAt, updatedAt: createdAt };
      const row = { id: newId('sched'), ...name, ...definition, ...times };
      const created = one(await tx.insert(schedules).values(row).returning());
      await this.#note(tx, 'schedule.created', created);
      return created;
    });
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  change(name: ScheduleName, definition: KeyedDefinition): Promise<ScheduleRow> {
    return this.db.transaction(async (tx) =>
      this.#change(tx, await this.get(name, tx), definition),
    );
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  pause(name: ScheduleName): Promise<ScheduleRow> {
    return this.db.transaction(async (tx) => {
      const existing = await this.get(name, tx);
      if (existing.pausedAt !== null) return existing;
      const pausedAt = new Date(this.clock.now());
      const paused = await this.#update(tx, existing, { pausedAt, pauseReason: 'requested' });
      await this.#note(tx, 'schedule.paused', paused);
      return paused;
    });
  }

  /**
   * Lets a paused schedule go on, from now: the slots of the pause are no misses.
   *
   * @param keyId the API key that it acts with from now on.
   * @throws TypedError SCHEDULE_NOT_FOUND 404.
   */
  resume(name: ScheduleName, keyId: string | null): Promise<ScheduleRow> {
    return this.db.transaction(async (tx) => {
      const existing = await this.get(name, tx);
      if (existing.pausedAt === null) return existing;
      const resumed = await this.#update(tx, existing, {
        keyId,
        pausedAt: null,
        pauseReason: null,
        failuresFrom: new Date(this.clock.now()),
        nextAt: await this.#nextFree(tx, existing, existing),
      });
      await this.#note(tx, 'schedule.resumed', resumed);
      return resumed;
    });
  }

  /** Deletes a schedule with the records of its runs; its turns stay. @throws TypedError SCHEDULE_NOT_FOUND 404. */
  delete(name: ScheduleName): Promise<ScheduleRow> {
    return this.db.transaction(async (tx) => {
      const { principalId, key } = schedules;
      const [deleted] = await tx
        .delete(schedules)
        .where(and(eq(principalId, name.principalId), eq(key, name.key)))
        .returning();
      if (deleted === undefined) throw scheduleNotFound(name.key);
      await this.#note(tx, 'schedule.deleted', deleted);
      return deleted;
    });
  }

  async #change(
    tx: Queryable,
    existing: ScheduleRow,
    definition: KeyedDefinition,
  ): Promise<ScheduleRow> {
    const isOnTime = definition.cron === existing.cron && definition.tz === existing.tz;
    const nextAt = isOnTime ? existing.nextAt : await this.#nextFree(tx, existing, definition);
    const changed = await this.#update(tx, existing, { ...definition, nextAt });
    await this.#note(tx, 'schedule.changed', changed);
    return changed;
  }

  async #update(
    tx: Queryable,
    { id }: ScheduleRow,
    changes: Partial<ScheduleRow>,
  ): Promise<ScheduleRow> {
    const updatedAt = new Date(this.clock.now());
    const revision = sql`${schedules.revision} + 1`;
    // No lease: the process that has it stores nothing under the earlier revision.
    return one(
      await tx
        .update(schedules)
        .set({ ...changes, revision, leasedUntil: null, updatedAt })
        .where(eq(schedules.id, id))
        .returning(),
    );
  }

  /** The next slot that has no outcome yet: another process's clock may have been ahead of this one's. */
  async #nextFree(
    tx: Queryable,
    { id }: ScheduleRow,
    times: Pick<Definition, 'cron' | 'tz'>,
  ): Promise<Date> {
    const [last] = await tx
      .select({ slot: max(scheduleRuns.slot) })
      .from(scheduleRuns)
      .where(and(eq(scheduleRuns.scheduleId, id), eq(scheduleRuns.cause, 'slot')));
    return this.#nextAt(times, Math.max(this.clock.now(), last?.slot?.getTime() ?? 0));
  }

  #nextAt({ cron, tz }: Pick<Definition, 'cron' | 'tz'>, after: number): Date {
    return new Date(new Slots(cron, tz).after(after));
  }

  async #checkLimit(tx: Queryable, principalId: string): Promise<void> {
    const { schedulesPerPrincipal: most } = this.config;
    const [existing] = await tx
      .select({ schedules: count() })
      .from(schedules)
      .where(eq(schedules.principalId, principalId));
    if ((existing?.schedules ?? 0) >= most) throw scheduleLimit(most);
  }

  async #note(
    tx: Queryable,
    action: AuditAction,
    { id: subject, principalId, key }: ScheduleRow,
  ): Promise<void> {
    await this.audit.write({ principalId, action, subject, details: { key } }, tx);
  }
}

/** Locks the row: changes of one schedule come one after the other. */
async function find(
  db: Queryable,
  { principalId, key }: ScheduleName,
): Promise<ScheduleRow | undefined> {
  const [schedule] = await db
    .select()
    .from(schedules)
    .where(and(eq(schedules.principalId, principalId), eq(schedules.key, key)))
    .for('update');
  return schedule;
}

function one(rows: readonly ScheduleRow[]): ScheduleRow {
  const [row] = rows;
  if (row === undefined) throw new Error('The database returned no schedule');
  return row;
}
