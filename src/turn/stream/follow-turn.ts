import { loadArchive } from '../../events/archive.js';
import { compareCursors, followsOn, logStart, type EventCursor } from '../../events/cursor.js';
import type { EventLog } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';
import type { Database } from '../../storage/connection.js';
import { LiveEvents } from './live-events.js';
import type { EndWatch } from './end-watch.js';

export interface FollowDeps {
  log: EventLog;
  db: Database;
  ends: Pick<EndWatch, 'watch'>;
}

/**
 * A turn's events from the first to the last, each once, in order: subscribe, backfill, then live,
 * in that order, so that nothing falls between. Ends after `turn.ended`, or when `signal` aborts.
 *
 * Backfilled again, from the last event on, whenever something may have been missed: the log was
 * away or lost what it held, a batch does not follow on, or this reader took too long.
 *
 * @param isNew it was accepted a moment ago: what it said is in the log, if it said anything.
 */
export async function* followTurn(
  deps: FollowDeps,
  turnId: string,
  signal: AbortSignal,
  isNew = false,
): AsyncGenerator<readonly TurnEvent[]> {
  const live = new LiveEvents();
  const unsubscribe = await deps.log.subscribe(turnId, live);
  const unwatch = deps.ends.watch(turnId, () => live.onOver());
  const onAbort = (): void => live.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    let last: EventCursor = logStart;
    let isFirst = isNew;
    live.onMissed();
    while (!signal.aborted) {
      const taken = await live.next();
      if (taken.type === 'closed') return;
      const batches =
        taken.type === 'events' && !leavesGap(last, taken.events)
          ? [taken.events]
          : await backfill(deps, turnId, last, {
              isNew: isFirst,
              isOver: taken.type === 'over',
            });
      isFirst = false;
      for (const batch of batches) {
        const fresh = after(last, batch);
        const end = fresh.at(-1);
        if (end === undefined) continue;
        yield fresh;
        last = end;
        if (end.type === 'turn.ended') return;
      }
      // Its session was deleted, and what it said with it.
      if (taken.type === 'over') return;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    unwatch();
    unsubscribe();
  }
}

/** What comes after a position: of the log, and where it does not reach back that far, the archive. */
async function backfill(
  { log, db }: FollowDeps,
  turnId: string,
  last: EventCursor,
  { isNew, isOver }: { isNew: boolean; isOver: boolean },
): Promise<(readonly TurnEvent[])[]> {
  const logged = await log.read(turnId, last);
  // Of a turn that has ended nothing comes after this: the log may still lack what was stored.
  if (isOver) return [await loadArchive(db, turnId), logged];
  if ((isNew || logged.length > 0) && !leavesGap(last, logged)) return [logged];
  return [await loadArchive(db, turnId), logged];
}

/** Whether an event is missing before one of these, or between two. */
function leavesGap(last: EventCursor, events: readonly TurnEvent[]): boolean {
  let end = last;
  for (const event of events) {
    if (compareCursors(event, end) <= 0) continue;
    // A turn begins with attempt 1, or with 0, which only some have.
    const isStart = compareCursors(end, logStart) === 0;
    if (isStart ? event.attempt > 1 || event.seq > 1 : followsOn(end, event, event) === 'gap') {
      return true;
    }
    end = event;
  }
  return false;
}

/** What of these comes after a position, each event once: a log that was restored is heard again. */
function after(position: EventCursor, events: readonly TurnEvent[]): readonly TurnEvent[] {
  let last = position;
  const fresh = events.filter((event) => {
    if (compareCursors(event, last) <= 0) return false;
    last = event;
    return true;
  });
  return fresh.length === events.length ? events : fresh;
}
