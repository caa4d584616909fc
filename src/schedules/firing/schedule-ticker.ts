import { Inject, Injectable } from '@nestjs/common';
import { settlesWithin } from '../../platform/async/settles-within.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import type { ScheduleRow } from '../schedule-row.js';
import { untilMinute } from '../timing/slots.js';
import { SlotRunner } from './slot-runner.js';
import { SlotStore } from './slot-store.js';

/** Most time between two looks, in ms: slots come at whole minutes, those of dead processes at any time. */
const LOOK_MS = 15_000;

/** Time that a stop waits for slots under way, in ms. */
const STOP_MS = 5_000;

/** Schedules that a process sees to at once. */
const MOST_AT_ONCE = 10;

/** Looks for schedules that are due. Any number of processes may look beside each other. */
@Injectable()
export class ScheduleTicker {
  #cancelTimer = (): void => undefined;
  #looking: Promise<void> | undefined;
  #isLooking = false;
  #isMoreExpected = false;
  #isStopped = false;
  /** When the last look began. */
  #lookedAt = 0;
  readonly #running = new Set<Promise<void>>();

  constructor(
    @Inject(SlotStore) private readonly slots: Pick<SlotStore, 'claim'>,
    @Inject(SlotRunner) private readonly runner: Pick<SlotRunner, 'run'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  start(): void {
    this.#look();
  }

  /**
   * Begins nothing more, and resolves when what was begun has ended. A database that does not answer holds no stop up:
   * the slots are left to their leases.
   */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer();
    await settlesWithin(STOP_MS, this.#endOfAll());
  }

  async #endOfAll(): Promise<void> {
    await this.#looking;
    await Promise.all(this.#running);
  }

  /** Looks now, and again in time for the next slots. While it looks, one more look is remembered. */
  #look(): void {
    if (this.#isStopped) return;
    this.#isMoreExpected = true;
    if (!this.#isLooking) this.#looking = this.#lookAll();
  }

  async #lookAll(): Promise<void> {
    this.#isLooking = true;
    this.#cancelTimer();
    try {
      while (this.#isMoreExpected && !this.#isStopped) {
        this.#isMoreExpected = false;
        this.#lookedAt = this.clock.now();
        const free = MOST_AT_ONCE - this.#running.size;
        if (free === 0) return;
        const claimed = await this.slots.claim(free);
        for (const schedule of claimed) this.#begin(schedule, claimed.length === free);
      }
    } catch (error) {
      this.logger.warn({ error }, 'schedules could not be looked for; it is tried again');
    } finally {
      // In the same breath as the last check: a look that is asked for after it begins anew.
      this.#isLooking = false;
      this.#lookLater();
    }
  }

  /** A look that began before a minute has not seen its slots, however long it took: the next one is then due. */
  #lookLater(): void {
    if (this.#isStopped) return;
    const dueAt = this.#lookedAt + Math.min(LOOK_MS, untilMinute(this.#lookedAt));
    const delayMs = Math.max(0, dueAt - this.clock.now());
    this.#cancelTimer = this.clock.after(delayMs, () => this.#look());
  }

  /** @param isMore whether others may be due: they have the room that this one leaves. */
  #begin(schedule: ScheduleRow, isMore: boolean): void {
    const { id: scheduleId, key } = schedule;
    const running = this.runner
      .run(schedule)
      .catch((error: unknown) =>
        this.logger.warn({ scheduleId, key, error }, 'a slot of a schedule is left to its lease'),
      )
      .finally(() => {
        this.#running.delete(running);
        if (isMore) this.#look();
      });
    this.#running.add(running);
  }
}
