import { readArchive } from '../events/archive.js';
import { comparePositions, logStart, type Position } from '../events/cursor.js';
import type { EventLog } from '../events/event-log.js';
import type { TurnEvent } from '../events/turn-event.js';
import type { Database } from '../storage/connection.js';

export interface FollowDeps {
  log: EventLog;
  db: Database;
}

/**
 * A turn's events from the first to the last, each once, in order: subscribe, backfill, then live,
 * in that order, so that nothing falls between. Ends after `turn.ended`, or when `signal` aborts.
 *
 * The backfill is what the live log holds; where the log does not reach back to the start (this
 * process was started since, or the log has expired) the archive comes first.
 */
export async function* followTurn(
  { log, db }: FollowDeps,
  turnId: string,
  signal: AbortSignal,
): AsyncGenerator<readonly TurnEvent[]> {
  const live = new LiveEvents();
  const unsubscribe = await log.subscribe(turnId, (events) => live.push(events));
  const onAbort = (): void => live.close();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    let last: Position = logStart;
    const logged = await log.read(turnId);
    const backfill = reachesStart(logged) ? [logged] : [await readArchive(db, turnId), logged];
    for (const batch of backfill) {
      const fresh = after(last, batch);
      const end = fresh.at(-1);
      if (end === undefined) continue;
      yield fresh;
      last = end;
      if (end.type === 'turn.ended') return;
    }
    while (!signal.aborted) {
      const fresh = after(last, await live.next());
      const end = fresh.at(-1);
      if (end === undefined) continue;
      yield fresh;
      last = end;
      if (end.type === 'turn.ended') return;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    unsubscribe();
  }
}

function reachesStart(events: readonly TurnEvent[]): boolean {
  const first = events.find((event) => event.attempt > 0);
  return first !== undefined && first.attempt === 1 && first.seq === 1;
}

function after(position: Position, events: readonly TurnEvent[]): readonly TurnEvent[] {
  const first = events[0];
  if (first === undefined || comparePositions(first, position) > 0) return events;
  return events.filter((event) => comparePositions(event, position) > 0);
}

/** Batches that came and were not taken yet, for one reader. */
class LiveEvents {
  #waiting: TurnEvent[] = [];
  #wake: (() => void) | undefined;
  #closed = false;

  push(events: readonly TurnEvent[]): void {
    this.#waiting.push(...events);
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** What has come since the last call, at least one event; empty once closed. */
  async next(): Promise<TurnEvent[]> {
    if (this.#waiting.length === 0 && !this.#closed) {
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    return this.#waiting.splice(0);
  }
}
