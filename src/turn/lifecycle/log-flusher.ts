import { Injectable } from '@nestjs/common';
import type { Attempt } from '../state/attempt.js';

/**
 * Longest time that a worker waits for the log to take a turn's end; readers find the end in the
 * archive.
 */
const FLUSH_MS = 5_000;

/** Brings the last events of an attempt to the turn's readers. */
@Injectable()
export class LogFlusher {
  /** Waits, for a while, until the log has all events of an attempt that is over. */
  flush({ writer }: Attempt): Promise<void> {
    return writer.flush(FLUSH_MS);
  }
}
