import { Inject, Injectable } from '@nestjs/common';
import { AuditLog } from '../../access/audit-log.js';
import type { Principal } from '../../access/principal.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { compact } from '../../platform/compact.js';
import { newId } from '../../platform/ids.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { ScheduledTurns } from '../firing/scheduled-turns.js';
import { SlotStore, SlotTaken } from '../firing/slot-store.js';
import { findTriggered, pageRuns, type RunPage } from '../runs/page-runs.js';
import type { PageQueryDto } from '../../http/paging/page-query.dto.js';
import { viewRun, type RunView } from '../runs/view-run.js';
import { nothingToChange, scheduleNotFound } from '../schedule-errors.js';
import type { ScheduleRow } from '../schedule-row.js';
import { DefinitionChecker } from './definition-checker.js';
import { findUpcoming, type UpcomingSlot } from './find-upcoming.js';
import { ScheduleStore } from './schedule-store.js';
import { viewSchedule, type ScheduleView } from './view-schedule.js';
import type { WantedSchedule } from './wanted-schedule.js';

/** Manages the schedules of principals. */
@Injectable()
export class ScheduleService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly store: ScheduleStore,
    private readonly checker: DefinitionChecker,
    private readonly turns: ScheduledTurns,
    private readonly slots: SlotStore,
    private readonly audit: AuditLog,
  ) {}

  async list(principalId: string): Promise<ScheduleView[]> {
    return (await this.store.list(principalId)).map(viewSchedule);
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async get(key: string, { id: principalId }: Principal): Promise<ScheduleView> {
    return viewSchedule(await this.store.get({ principalId, key }));
  }

  /**
   * @param name `isNew`: a key that is taken is refused; else its schedule is replaced.
   * @throws TypedError: see `DefinitionChecker`; SCHEDULE_LIMIT 429; SCHEDULE_EXISTS 412.
   */
  async put(
    { key, isNew }: { key: string; isNew: boolean },
    wanted: WantedSchedule,
    caller: Principal,
  ): Promise<ScheduleView> {
    const definition = await this.checker.check(wanted, caller);
    return viewSchedule(await this.store.put({ principalId: caller.id, key }, definition, isNew));
  }

  /** @throws TypedError: see `DefinitionChecker`; SCHEDULE_NOT_FOUND 404. */
  async change(
    key: string,
    wanted: Partial<WantedSchedule>,
    caller: Principal,
  ): Promise<ScheduleView> {
    const changes = compact({ ...wanted });
    if (Object.keys(changes).length === 0) throw nothingToChange();
    const name = { principalId: caller.id, key };
    const existing = await this.store.get(name);
    const definition = await this.checker.check({ ...toWanted(existing), ...changes }, caller);
    return viewSchedule(await this.store.change(name, definition));
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async pause(key: string, { id: principalId }: Principal): Promise<ScheduleView> {
    return viewSchedule(await this.store.pause({ principalId, key }));
  }

  /** The schedule acts with the caller's key from then on. @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async resume(key: string, { id: principalId, keyId }: Principal): Promise<ScheduleView> {
    return viewSchedule(await this.store.resume({ principalId, key }, keyId));
  }

  /** @returns the schedule that is gone. @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async delete(key: string, { id: principalId }: Principal): Promise<ScheduleView> {
    return viewSchedule(await this.store.delete({ principalId, key }));
  }

  /**
   * Runs a schedule now, beside its slots, also while it is paused. A repeated idempotency key gives the first run.
   *
   * @throws TypedError of each check of a turn; TURN_IN_PROGRESS 409 where it would overlap.
   */
  async trigger(
    key: string,
    idempotencyKey: string | undefined,
    principal: Principal,
  ): Promise<RunView> {
    const schedule = await this.store.get({ principalId: principal.id, key });
    const triggerKey = idempotencyKey ?? newId('trigger');
    const earlier = await findTriggered(this.db, schedule.id, triggerKey);
    if (earlier !== undefined) return viewRun(earlier);
    try {
      await this.turns.submit(schedule, {
        principal,
        idempotencyKey: newId('trigger'),
        store: async (tx, run) => {
          await this.slots.triggerIn(tx, schedule, { ...run, triggerKey });
          const entry = { principalId: principal.id, subject: schedule.id, details: { key } };
          await this.audit.write({ ...entry, action: 'schedule.triggered' }, tx);
        },
      });
    } catch (error) {
      // The same request came twice and the other one is through, or the schedule is gone.
      if (!(error instanceof SlotTaken)) throw error;
    }
    const stored = await findTriggered(this.db, schedule.id, triggerKey);
    // The schedule was deleted in this moment, with its runs.
    if (stored === undefined) throw scheduleNotFound(key);
    return viewRun(stored);
  }

  /** @throws TypedError SCHEDULE_NOT_FOUND 404, INVALID_REQUEST 400 for an invalid cursor or limit. */
  async runs(key: string, query: PageQueryDto, { id: principalId }: Principal): Promise<RunPage> {
    const { id } = await this.store.get({ principalId, key });
    return pageRuns(this.db, id, query);
  }

  /** The next slots, also of a paused schedule. @throws TypedError SCHEDULE_NOT_FOUND 404. */
  async upcoming(
    key: string,
    count: number,
    { id: principalId }: Principal,
  ): Promise<UpcomingSlot[]> {
    return findUpcoming(await this.store.get({ principalId, key }), this.clock.now(), count);
  }
}

/** A stored schedule as a request for it. */
function toWanted(schedule: ScheduleRow): WantedSchedule {
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
