import { comparePositions, type Position } from './cursor.js';
import type { EventLog } from './event-log.js';
import type { Owner } from './store-facts.js';
import type { TurnEvent } from './turn-event.js';

/** Events of one append. */
const RUN_LENGTH = 500;

/**
 * Gives the log back what it lacks.
 *
 * @param known every event that is known, in order; some may be there twice.
 * @param last where the log ends.
 */
export async function restoreLog(
  log: EventLog,
  { turnId, attempt }: Owner,
  known: readonly TurnEvent[],
  last: Position,
): Promise<void> {
  let run: TurnEvent[] = [];
  let end = last;
  const send = async (): Promise<void> => {
    await log.append(turnId, attempt, run);
    run = [];
  };
  for (const event of known) {
    if (comparePositions(event, end) <= 0) continue;
    // A run is of one attempt.
    if (run.length === RUN_LENGTH || (run[0] && run[0].attempt !== event.attempt)) await send();
    run.push(event);
    end = event;
  }
  await send();
}
