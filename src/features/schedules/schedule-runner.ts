import { Inject, Injectable } from '@nestjs/common';
import { Authenticator } from '../../access/face.js';
import { isTypedError, type TypedError } from '../../errors/typed-error.js';
import { toPublicError } from '../../http/face.js';
import { Metrics } from '../../telemetry/metrics.js';
import { type Clock, CLOCK, type Logger, LOGGER } from '../../platform/face.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import type { RunOutcome } from '../../storage/automation-schema.js';
import { grantEnded, keyInvalid, schedulePaused } from './schedule-errors.js';
import type { ScheduleRow } from './schedule.dto.js';
import { decideDue, type DueRun, FireTimes } from './fire-times.js';
import {
  hasFailedTooOften,
  MAX_FAILURES,
  ScheduleRunStore,
  RunTaken,
  type RunResult,
} from './schedule-run-store.js';
import { ScheduledTurns } from './scheduled-turns.js';

/** A fire time whose run is submitted now. */
type DueFireTime = DueRun & { fireAt: number };

/** Sees to what is due of a schedule that this process claimed. */
@Injectable()
export class ScheduleRunner {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly authenticator: Authenticator,
    private readonly runs: ScheduleRunStore,
    private readonly turns: ScheduledTurns,
    private readonly metrics: Metrics,
  ) {}

  /** Rejects where the database is away: another process claims the schedule when the lease is over. */
  async run(schedule: ScheduleRow): Promise<void> {
    try {
      await this.#run(schedule);
    } catch (error) {
      if (!(error instanceof RunTaken)) throw error;
    }
  }

  async #run(schedule: ScheduleRow): Promise<void> {
    const due = this.#findDue(schedule);
    if (due === undefined) return this.runs.pause(schedule, 'times');
    const { fireAt, missed } = due;
    if (missed !== undefined) {
      const { id: scheduleId, key } = schedule;
      this.logger.warn(
        { scheduleId, key, missed: missed.count },
        'a schedule missed fire times; no turns are started for them',
      );
    }
    if (fireAt === undefined) await this.runs.settle(schedule, due);
    else this.#count(await this.#runSlot(schedule, { ...due, fireAt }), fireAt);
    this.metrics.scheduleRuns.inc({ outcome: 'missed' }, missed?.count ?? 0);
  }

  /** @returns undefined where the expression or the zone is not understood any more. */
  #findDue({ id: scheduleId, cron, tz, nextAt, catchUpMs }: ScheduleRow): DueRun | undefined {
    try {
      const fireTimes = new FireTimes(cron, tz);
      return decideDue({ fireTimes, nextAt: nextAt.getTime(), catchUpMs }, this.clock.now());
    } catch (error) {
      this.logger.warn(
        { scheduleId, cron, tz, error },
        'a schedule has no next fire time, and is paused; correct its cron or its tz, then resume it',
      );
      return undefined;
    }
  }

  async #runSlot(schedule: ScheduleRow, due: DueFireTime): Promise<RunOutcome> {
    const principal = await this.authenticator.principalOf(schedule);
    if (typeof principal === 'string') {
      const isOfGrant = principal === 'over' || principal === 'no-role';
      const error = isOfGrant ? grantEnded(principal) : keyInvalid(principal);
      const result = without('refused', error);
      await this.runs.settle(schedule, due, { result, pause: isOfGrant ? 'grant' : 'key' });
      return 'refused';
    }
    if (await hasFailedTooOften(this.db, schedule)) {
      const result = without('skipped', schedulePaused(MAX_FAILURES));
      await this.runs.settle(schedule, due, { result, pause: 'failures' });
      return 'skipped';
    }
    try {
      await this.turns.submit(schedule, {
        principal,
        idempotencyKey: `sched:${schedule.id}:${new Date(due.fireAt).toISOString()}`,
        store: (tx, run) => this.runs.settleIn(tx, schedule, due, run),
      });
      return 'submitted';
    } catch (error) {
      if (error instanceof RunTaken || isDatabaseDown(error)) throw error;
      const result = this.#judge(schedule, error);
      await this.runs.settle(schedule, due, { result });
      return result.outcome;
    }
  }

  /** A turn that is refused is an outcome of its run: the schedule goes on. */
  #judge({ id: scheduleId, key, overlap }: ScheduleRow, error: unknown): RunResult {
    if (overlap !== 'allow' && isTypedError(error, 'TURN_IN_PROGRESS')) {
      return without('skipped', error);
    }
    this.logger.warn(
      { scheduleId, key, error },
      "a schedule's turn was refused; the schedule goes on at its next fire time",
    );
    const { type, message } = toPublicError(error, scheduleId).body.error;
    return { outcome: 'refused', error: { type, message } };
  }

  #count(outcome: RunOutcome, fireAt: number): void {
    this.metrics.scheduleRuns.inc({ outcome });
    this.metrics.scheduleLag.observe((this.clock.now() - fireAt) / 1_000);
  }
}

function without(outcome: 'skipped' | 'refused', { type, message }: TypedError): RunResult {
  return { outcome, error: { type, message } };
}
