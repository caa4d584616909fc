import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import {
  type Clock,
  CLOCK,
  type Logger,
  LOGGER,
  Poller,
  withTimeout,
} from '../../platform/face.js';
import type { ScheduleRow } from './schedule.dto.js';
import { untilMinute } from './fire-times.js';
import { ScheduleRunner } from './schedule-runner.js';
import { ScheduleRunStore } from './schedule-run-store.js';

/**
 * The longest time between two looks, in ms: fire times come at whole minutes, but the leases of dead processes end at
 * any time.
 */
const LOOK_MS = 15_000;

/** Time that a stop waits for runs under way, in ms. */
const STOP_MS = 5_000;

/** Schedules that a process sees to at once. */
const MAX_CONCURRENT_RUNS = 10;

/** Looks for schedules that are due. Any number of processes may look beside each other. */
@Injectable()
export class ScheduleTicker implements OnModuleDestroy {
  readonly #poller: Poller;

  constructor(
    @Inject(ScheduleRunStore) private readonly runs: Pick<ScheduleRunStore, 'claim'>,
    @Inject(ScheduleRunner) private readonly runner: Pick<ScheduleRunner, 'run'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.#poller = new Poller(() => this.#look(), {
      clock,
      // A look that began before a minute misses its fire times, however long it takes: another one is due at once.
      waitMs: (lookedAt) => lookedAt + Math.min(LOOK_MS, untilMinute(lookedAt)) - clock.now(),
      onError: (error) =>
        logger.warn({ error }, 'could not look for due schedules; trying again within 15 seconds'),
    });
  }

  start(): void {
    this.#poller.now();
  }

  /**
   * Starts no more runs, and resolves when those under way have ended. A database that does not answer does not delay
   * the stop: another process runs the schedules when their leases end.
   */
  async onModuleDestroy(): Promise<void> {
    await withTimeout(STOP_MS, this.#poller.stop());
  }

  async #look(): Promise<void> {
    const free = MAX_CONCURRENT_RUNS - this.#poller.running;
    if (free === 0) return;
    const claimed = await this.runs.claim(free);
    // Others may be due: they have the room that these leave.
    const isMore = claimed.length === free;
    for (const schedule of claimed) this.#poller.begin(this.#run(schedule), isMore);
  }

  async #run(schedule: ScheduleRow): Promise<void> {
    try {
      await this.runner.run(schedule);
    } catch (error) {
      const { id: scheduleId, key } = schedule;
      this.logger.warn(
        { scheduleId, key, error },
        'could not run a due schedule; trying again when its lease ends',
      );
    }
  }
}
