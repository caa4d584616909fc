import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { withDeadline } from '../../platform/async/with-deadline.js';
import type { Attempt } from '../state/attempt.js';

/**
 * Longest time that a worker waits for the log to take a turn's end; readers find the end in the
 * archive.
 */
const FLUSH_MS = 5_000;

/** Brings the last events of an attempt to the turn's readers. */
@Injectable()
export class LogFlusher {
  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Waits, for a while, until the log has all events of an attempt that is over. */
  async flush({ writer }: Attempt): Promise<void> {
    await withDeadline(this.clock, FLUSH_MS, (signal) => writer.flush(signal));
  }
}
