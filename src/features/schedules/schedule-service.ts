import { Inject, Injectable } from '@nestjs/common';
import { and, asc, eq, max, sql, type SQL } from 'drizzle-orm';
import {
  type AuditAction,
  AuditLog,
  Grants,
  type Principal,
  type Voucher,
} from '../../access/face.js';
import { CONFIG, type Config } from '../../config/config.js';
import { loadPage, type PageQueryDto } from '../../http/face.js';
import { type Clock, CLOCK, compact, newId } from '../../platform/face.js';
import { DATABASE, type Database, type Queryable } from '../../storage/connection.js';
import { lockKey } from '../../storage/statements.js';
import { countBelow, foundRow, returnedRow } from '../../storage/rows.js';
import { scheduleRuns, schedules } from '../../storage/automation-schema.js';
import { turns } from '../../storage/schema.js';
import { ScheduledTurns } from './scheduled-turns.js';
import { ScheduleRunStore, RunTaken } from './schedule-run-store.js';
import {
  nothingToChange,
  scheduleExists,
  scheduleLimit,
  scheduleNotFound,
} from './schedule-errors.js';
import { LocalClock, FireTimes } from './fire-times.js';
import { DefinitionChecker, type Definition } from './definition-checker.js';
import {
  viewRun,
  viewSchedule,
  type RunDto,
  type RunPageDto,
  type ScheduleChangesDto,
  type ScheduleDto,
  type ScheduleRow,
  type ScheduleViewDto,
  type UpcomingSlotDto,
} from './schedule.dto.js';

/** The name of a schedule: its principal, and the principal's own name for it. */
interface ScheduleName {
  principalId: string;
  key: string;
}

const newestFirst = { columns: { id: scheduleRuns.id }, isDescending: true };

/** The schedules of principals. An action and its audit entry are one transaction; each raises the revision. */
@Injectable()
export class ScheduleService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'schedulesPerPrincipal'>,
    private readonly checker: DefinitionChecker,
    private readonly turns: ScheduledTurns,
    private readonly runStore: ScheduleRunStore,
    private readonly audit: AuditLog,
    private readonly grants: Grants,
  ) {}

  /** A principal's schedules, by their keys. */
  async list(principalId: string): Promise<ScheduleViewDto[]> {
    const rows = await this.db
      .select()
      .from(schedules)
      .where(eq(schedules.principalId, principalId))
      .orderBy(asc(schedules.key));
    return rows.map(viewSchedule);
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async get(key: string, { id: principalId }: Principal): Promise<ScheduleViewDto> {
    return viewSchedule(await getRow(this.db, { principalId, key }));
  }

  /**
   * Creates the schedule, or gives the one of that name another definition. If the times are the same, the next fire
   * time stays, so that a definition that is put again loses none.
   *
   * @param name `isNew`: a key that is taken is refused; else its schedule is replaced.
   * @throws TypedError: see `DefinitionChecker`; SCHEDULE_LIMIT 429; SCHEDULE_EXISTS 412.
   */
  async put(
    { key, isNew }: { key: string; isNew: boolean },
    wanted: ScheduleDto,
    caller: Principal,
  ): Promise<ScheduleViewDto> {
    const definition = await this.checker.check(wanted, caller);
    const name = { principalId: caller.id, key };
    const stored = await this.db.transaction(async (tx) => {
      await lockKey(tx, 'principal', caller.id);
      const [existing] = await find(tx, name);
      if (existing !== undefined && isNew) throw scheduleExists(key);
      const voucher = await this.grants.voucherOf(tx, caller.id, caller.credential);
      const vouched = { ...definition, ...voucher };
      if (existing !== undefined) {
        return this.#redefine(tx, existing, { definition: vouched, by: caller });
      }
      const rows = { table: schedules, where: eq(schedules.principalId, caller.id) };
      await countBelow(tx, rows, this.config.schedulesPerPrincipal, scheduleLimit);
      const now = this.clock.now();
      const [createdAt, nextAt] = [new Date(now), nextFireAt(definition, now)];
      const times = { nextAt, failuresFrom: createdAt, createdAt, updatedAt: createdAt };
      const row = { id: newId('sched'), ...name, ...vouched, ...times };
      const created = await tx.insert(schedules).values(row).returning();
      return this.#note(tx, 'schedule.created', {
        schedule: returnedRow(created, 'schedule'),
        by: caller,
      });
    });
    return viewSchedule(stored);
  }

  /** @throws TypedError: see `DefinitionChecker`; SCHEDULE_NOT_FOUND 404. */
  async change(
    key: string,
    wanted: ScheduleChangesDto,
    caller: Principal,
  ): Promise<ScheduleViewDto> {
    const changes = compact(wanted);
    if (Object.keys(changes).length === 0) throw nothingToChange();
    const name = { principalId: caller.id, key };
    const existing = toWanted(await getRow(this.db, name));
    const definition = await this.checker.check({ ...existing, ...changes }, caller);
    const changed = await this.db.transaction(async (tx) => {
      await lockKey(tx, 'principal', caller.id);
      const row = await getRow(tx, name);
      const voucher = await this.grants.voucherOf(tx, caller.id, caller.credential);
      return this.#redefine(tx, row, { definition: { ...definition, ...voucher }, by: caller });
    });
    return viewSchedule(changed);
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async pause(key: string, by: Principal): Promise<ScheduleViewDto> {
    const { id: principalId } = by;
    const paused = await this.db.transaction(async (tx) => {
      const existing = await getRow(tx, { principalId, key });
      if (existing.pausedAt !== null) return existing;
      const pausedAt = new Date(this.clock.now());
      const changed = await this.#update(tx, existing, { pausedAt, pauseReason: 'requested' });
      return this.#note(tx, 'schedule.paused', { schedule: changed, by });
    });
    return viewSchedule(paused);
  }

  /**
   * Resumes a paused schedule from now on: fire times during the pause do not count as missed. From then on it acts
   * with the caller's key, or by a grant of the caller's.
   *
   * @throws TypedError SCHEDULE_NOT_FOUND 404.
   */
  async resume(key: string, by: Principal): Promise<ScheduleViewDto> {
    const { id: principalId, credential } = by;
    const resumed = await this.db.transaction(async (tx) => {
      await lockKey(tx, 'principal', principalId);
      const existing = await getRow(tx, { principalId, key });
      if (existing.pausedAt === null) return existing;
      const changed = await this.#update(tx, existing, {
        ...(await this.grants.voucherOf(tx, principalId, credential)),
        pausedAt: null,
        pauseReason: null,
        failuresFrom: new Date(this.clock.now()),
        nextAt: await this.#nextFree(tx, existing, existing),
      });
      return this.#note(tx, 'schedule.resumed', { schedule: changed, by });
    });
    return viewSchedule(resumed);
  }

  /**
   * Deletes a schedule with the records of its runs; its turns stay.
   *
   * @returns the schedule that is gone. @throws TypedError SCHEDULE_NOT_FOUND 404.
   */
  async delete(key: string, by: Principal): Promise<ScheduleViewDto> {
    const { id: principalId } = by;
    const deleted = await this.db.transaction(async (tx) => {
      const gone = await tx.delete(schedules).where(isNamed({ principalId, key })).returning();
      const row = foundRow(gone, () => scheduleNotFound(key));
      return this.#note(tx, 'schedule.deleted', { schedule: row, by });
    });
    return viewSchedule(deleted);
  }

  /**
   * Runs a schedule now, beside its fire times, also while it is paused. A repeated idempotency key gives the first
   * run.
   *
   * @throws TypedError of each check of a turn; TURN_IN_PROGRESS 409 where it would overlap.
   */
  async trigger(
    key: string,
    idempotencyKey: string | undefined,
    principal: Principal,
  ): Promise<RunDto> {
    const schedule = await getRow(this.db, { principalId: principal.id, key });
    const triggerKey = idempotencyKey ?? newId('trigger');
    const [earlier] = await this.#triggered(schedule, triggerKey);
    if (earlier !== undefined) return viewRun(earlier);
    try {
      await this.turns.submit(schedule, {
        principal,
        idempotencyKey: newId('trigger'),
        store: async (tx, run) => {
          await this.runStore.triggerIn(tx, schedule, { ...run, triggerKey });
          const entry = { by: principal, subject: schedule.id, details: { key } };
          await this.audit.write({ ...entry, action: 'schedule.triggered' }, tx);
        },
      });
    } catch (error) {
      // The same request came twice and the other one is through, or the schedule is gone.
      if (!(error instanceof RunTaken)) throw error;
    }
    const stored = await this.#triggered(schedule, triggerKey);
    // Without one, the schedule was deleted in this moment, with its runs.
    return viewRun(foundRow(stored, () => scheduleNotFound(key)));
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404, INVALID_REQUEST 400 for an invalid cursor or limit. */
  async runs(
    key: string,
    query: PageQueryDto,
    { id: principalId }: Principal,
  ): Promise<RunPageDto> {
    const { id } = await getRow(this.db, { principalId, key });
    const ofSchedule = eq(scheduleRuns.scheduleId, id);
    const { rows, ...next } = await loadPage(query, newestFirst, ({ after, orderBy, limit }) =>
      this.#runs(and(ofSchedule, after))
        .orderBy(...orderBy)
        .limit(limit),
    );
    return { runs: rows.map(viewRun), ...next };
  }

  /** The next fire times, also of a paused schedule. @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async upcoming(
    key: string,
    count: number,
    { id: principalId }: Principal,
  ): Promise<UpcomingSlotDto[]> {
    const { cron, tz } = await getRow(this.db, { principalId, key });
    const clock = new LocalClock(tz);
    return new FireTimes(cron, tz).next(this.clock.now(), count).map((fireAt) => ({
      at: new Date(fireAt).toISOString(),
      local: new Date(clock.wallAt(fireAt)).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length),
    }));
  }

  /** The run that an earlier trigger with the same idempotency key began. */
  #triggered({ id }: ScheduleRow, key: string) {
    return this.#runs(and(eq(scheduleRuns.scheduleId, id), eq(scheduleRuns.triggerKey, key)));
  }

  /** Runs, with the status of their turns. */
  #runs(which: SQL | undefined) {
    return this.db
      .select({ id: scheduleRuns.id, run: scheduleRuns, status: turns.status })
      .from(scheduleRuns)
      .leftJoin(turns, eq(turns.id, scheduleRuns.turnId))
      .where(which);
  }

  async #redefine(
    tx: Queryable,
    existing: ScheduleRow,
    { definition, by }: { definition: Definition & Voucher; by: Principal },
  ): Promise<ScheduleRow> {
    const isOnTime = definition.cron === existing.cron && definition.tz === existing.tz;
    const nextAt = isOnTime ? existing.nextAt : await this.#nextFree(tx, existing, definition);
    const changed = await this.#update(tx, existing, { ...definition, nextAt });
    return this.#note(tx, 'schedule.changed', { schedule: changed, by });
  }

  async #update(
    tx: Queryable,
    { id }: ScheduleRow,
    changes: Partial<ScheduleRow>,
  ): Promise<ScheduleRow> {
    const updatedAt = new Date(this.clock.now());
    const revision = sql`${schedules.revision} + 1`;
    // No lease: the process that has it stores nothing under the earlier revision.
    const changed = await tx
      .update(schedules)
      .set({ ...changes, revision, leasedUntil: null, updatedAt })
      .where(eq(schedules.id, id))
      .returning();
    return returnedRow(changed, 'schedule');
  }

  /** The next fire time that has no outcome yet: another process's clock may have been ahead of this one's. */
  async #nextFree(tx: Queryable, { id }: ScheduleRow, times: Times): Promise<Date> {
    const [last] = await tx
      .select({ fireAt: max(scheduleRuns.fireAt) })
      .from(scheduleRuns)
      .where(and(eq(scheduleRuns.scheduleId, id), eq(scheduleRuns.cause, 'slot')));
    return nextFireAt(times, Math.max(this.clock.now(), last?.fireAt?.getTime() ?? 0));
  }

  async #note(
    tx: Queryable,
    action: AuditAction,
    { schedule, by }: { schedule: ScheduleRow; by: Principal },
  ): Promise<ScheduleRow> {
    const { id: subject, key } = schedule;
    await this.audit.write({ by, action, subject, details: { key } }, tx);
    return schedule;
  }
}

type Times = Pick<ScheduleRow, 'cron' | 'tz'>;

function nextFireAt({ cron, tz }: Times, after: number): Date {
  return new Date(new FireTimes(cron, tz).after(after));
}

function isNamed({ principalId, key }: ScheduleName): SQL | undefined {
  return and(eq(schedules.principalId, principalId), eq(schedules.key, key));
}

/** Locks the row: changes of one schedule come one after the other. */
function find(db: Queryable, name: ScheduleName) {
  return db.select().from(schedules).where(isNamed(name)).for('update');
}

/** @throws TypedError SCHEDULE_NOT_FOUND 404. */
async function getRow(db: Queryable, name: ScheduleName): Promise<ScheduleRow> {
  return foundRow(await find(db, name), () => scheduleNotFound(name.key));
}

/** A stored schedule as a request for it. */
function toWanted(schedule: ScheduleRow) {
  const { cron, tz, sessionId, agent, projectRoot, message, opts, overlap, catchUpMs } = schedule;
  const optional = {
    agent: agent ?? undefined,
    projectRoot: projectRoot ?? undefined,
    opts: opts ?? undefined,
  };
  return {
    cron,
    tz,
    session: sessionId ?? 'new',
    message,
    overlap,
    catchUpMs,
    ...compact(optional),
  };
}
