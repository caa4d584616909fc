import { withDeadline } from '../../platform/with-deadline.js';
import { untilAborted } from '../../platform/abort.js';
import type { Attempt } from '../state/turn-run.js';
import type { TurnServices } from '../state/turn-services.js';

/** How long the live log outlives its turn; the archive has it for good. */
const LOG_KEPT_MS = 60_000;

/** How long a worker waits for the log to take the end of a turn; its readers find it in the archive. */
const FLUSH_MS = 5_000;

/** Brings the rest of a turn that has ended to its readers, and lets its live log go. */
export function closeLog(services: TurnServices, attempt: Attempt): Promise<void> {
  return flushThen(services, attempt, (signal) =>
    untilAborted(services.log.expire(attempt.turn.id, LOG_KEPT_MS), signal),
  );
}

/** Brings what a turn has said so far to its readers: it goes on in another attempt. */
export function flushLog(services: TurnServices, attempt: Attempt): Promise<void> {
  return flushThen(services, attempt, async () => undefined);
}

async function flushThen(
  { clock }: TurnServices,
  attempt: Attempt,
  then: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  await withDeadline(clock, FLUSH_MS, async (signal) => {
    try {
      await attempt.writer.flush(signal);
      if (!signal.aborted) await then(signal);
    } catch (error) {
      // A log that does not answer forgets by itself, in time.
      if (!signal.aborted) throw error;
    }
  });
}
