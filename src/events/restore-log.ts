import { followsOn, type EventCursor } from './cursor.js';
import type { EventLog } from './event-log.js';
import type { TurnAttempt } from './turn-commits.js';
import type { TurnEvent } from './turn-event.js';

/** Most events of one append. */
const RUN_LENGTH = 500;

/**
 * Appends the events that the log lacks.
 *
 * @param known all events of the turn that are stored or at hand, in order; some may be there twice.
 * @param last where the log ends.
 * @throws Error when an event is missing among them: the log would have a gap.
 */
export async function restoreLog(
  log: EventLog,
  { turnId, attempt }: TurnAttempt,
  known: readonly TurnEvent[],
  last: EventCursor,
): Promise<void> {
  let run: TurnEvent[] = [];
  let end = last;
  let before = last;
  const send = async (): Promise<void> => {
    await log.append(turnId, attempt, run, before);
    before = end;
    run = [];
  };
  for (const event of known) {
    const continuity = followsOn(end, event, event);
    if (continuity === 'repeated') continue;
    if (continuity === 'gap') throw new Error(describeGap(end, event));
    // An append has events of one attempt.
    if (run.length === RUN_LENGTH || (run[0] && run[0].attempt !== event.attempt)) await send();
    run.push(event);
    end = event;
  }
  await send();
}

function describeGap(end: EventCursor, next: EventCursor): string {
  return `An event is missing between ${end.attempt}.${end.seq} and ${next.attempt}.${next.seq}`;
}
