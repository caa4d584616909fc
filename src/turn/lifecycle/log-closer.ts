import { Inject, Injectable } from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../../events/event-log.js';
import { untilAborted } from '../../platform/abort.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { withDeadline } from '../../platform/with-deadline.js';
import type { Attempt } from '../state/attempt.js';

/** Time by which the live log outlives its turn; the archive has its events for good. */
const LOG_KEPT_MS = 60_000;

/**
 * Longest time that a worker waits for the log to take a turn's end; readers find the end in the
 * archive.
 */
const FLUSH_MS = 5_000;

/** Brings a turn's live log to its readers when an attempt is over. */
@Injectable()
export class LogCloser {
  constructor(
    @Inject(EVENT_LOG) private readonly log: Pick<EventLog, 'expire'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Brings the last events of a turn that has ended to its readers, and lets its live log expire. */
  close(attempt: Attempt): Promise<void> {
    return this.#flushThen(attempt, (signal) =>
      untilAborted(this.log.expire(attempt.turn.id, LOG_KEPT_MS), signal),
    );
  }

  /** Brings the events of a turn that goes on in another attempt to its readers. */
  flush(attempt: Attempt): Promise<void> {
    return this.#flushThen(attempt, async () => undefined);
  }

  async #flushThen(attempt: Attempt, then: (signal: AbortSignal) => Promise<void>): Promise<void> {
    await withDeadline(this.clock, FLUSH_MS, async (signal) => {
      try {
        await attempt.writer.flush(signal);
        if (!signal.aborted) await then(signal);
      } catch (error) {
        // A log that does not answer in time expires by its own TTL.
        if (!signal.aborted) throw error;
      }
    });
  }
}
