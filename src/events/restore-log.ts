import type { Position } from './cursor.js';
import type { EventLog } from './event-log.js';
import { followsOn } from './follows-on.js';
import type { Owner } from './store-writes.js';
import type { TurnEvent } from './turn-event.js';

/** Events of one append. */
const RUN_LENGTH = 500;

/**
 * Gives the log back what it lacks.
 *
 * @param known every event that is known, in order; some may be there twice.
 * @param last where the log ends.
 * @throws Error when an event is missing among them: what would be given is no turn's log.
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
    const continuity = followsOn(end, event, event);
    if (continuity === 'repeated') continue;
    if (continuity === 'gap') throw new Error(describeGap(end, event));
    // A run is of one attempt.
    if (run.length === RUN_LENGTH || (run[0] && run[0].attempt !== event.attempt)) await send();
    run.push(event);
    end = event;
  }
  await send();
}

function describeGap(end: Position, next: Position): string {
  return `An event is missing between ${end.attempt}.${end.seq} and ${next.attempt}.${next.seq}`;
}
