import { Inject, Injectable } from '@nestjs/common';
import { loadArchive } from '../../events/archive.js';
import { compareCursors, followsOn, logStart, type EventCursor } from '../../events/cursor.js';
import { EVENT_LOG, type EventLog } from '../../events/event-log.js';
import type { TakeEvents, TurnEvent } from '../../events/turn-event.js';
import { LoopShare } from '../../platform/async/loop-share.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { EndWatch } from './end-watch.js';
import { LiveEvents } from './live-events.js';

/**
 * A turn as its reader finds it. `new`: accepted a moment ago, whatever events it has are in the log. `ended`: all its
 * events are in the archive.
 */
export type TurnStage = 'new' | 'open' | 'ended';

/** Whether a reader follows a turn from its acceptance on, and whether the turn has ended. */
interface Backfill {
  isNew: boolean;
  isOver: boolean;
}

export interface FollowOptions {
  /** Default: `open`, which is right for any turn. */
  stage?: TurnStage;
  /** Called when the reading begins. @returns what to call, once, when the reader is gone. */
  onJoined?(): () => void;
  /** Called with where events were loaded from that came before the reader, or that it missed. */
  onBackfilled?(source: 'log' | 'archive'): void;
  /** Called with events before the reader has them. */
  onEvents?(events: readonly TurnEvent[]): void;
}

/** Readers that are given what came before them in one cycle of the event loop: it may take milliseconds each. */
const BACKFILLS_AT_ONCE = 4;

@Injectable()
export class TurnFollower {
  readonly #backfills = new LoopShare(BACKFILLS_AT_ONCE);

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(DATABASE) private readonly db: Database,
    private readonly ends: EndWatch,
  ) {}

  /**
   * Hands on a turn's events from the first to the last, each once, in order: subscribe, backfill, then live,
   * in that order, so that nothing falls between. Ends after `turn.ended`, with events that were enough, or when
   * `signal` aborts. (A generator would cost as much for a delta as its frame.)
   *
   * Events are backfilled again, after the last event that was given, whenever one may have been
   * missed: the log was away or lost events, a batch leaves a gap, or the reader took too long.
   *
   * The events of a turn that has ended are read from the archive alone, which has hundreds of them in a row: the log
   * has an entry for each batch that was streamed.
   */
  async follow(
    turnId: string,
    signal: AbortSignal,
    take: TakeEvents,
    { stage = 'open', onJoined, onBackfilled, onEvents }: FollowOptions = {},
  ): Promise<void> {
    if (stage === 'ended') {
      const events = await loadArchive(this.db, turnId);
      await this.#backfills.next();
      onBackfilled?.('archive');
      onEvents?.(events);
      await take(events);
      return;
    }
    if (signal.aborted) return;
    const live = new LiveEvents();
    // Not read for each batch: V8 gives each signal a hidden class of its own, and looks its properties up anew.
    const onAbort = (): void => live.close();
    signal.addEventListener('abort', onAbort, { once: true });
    const onLeft = [onJoined?.()];
    try {
      onLeft.push(await this.log.subscribe(turnId, live));
      onLeft.push(this.ends.watch(turnId, () => live.onOver()));
      let last: EventCursor = logStart;
      let isFirst = stage === 'new';
      live.onMissed();
      for (;;) {
        const taken = await live.next();
        if (taken.type === 'closed') return;
        const isOver = taken.type === 'over';
        const next = taken.type === 'events' ? continueAfter(last, taken.events) : missed;
        const batches = next.hasGap
          ? await this.#backfill(turnId, last, { isNew: isFirst, isOver })
          : [next.events];
        if (next.hasGap && !isFirst) onBackfilled?.(batches.length === 1 ? 'log' : 'archive');
        isFirst = false;
        for (const batch of batches) {
          const fresh = next.hasGap ? continueAfter(last, batch).events : batch;
          const end = fresh.at(-1);
          if (end === undefined) continue;
          onEvents?.(fresh);
          const isEnough = take(fresh);
          // Mostly there is room at once: to await costs more than a batch.
          if (isEnough === true || (isEnough !== false && (await isEnough))) return;
          last = end;
          if (end.type === 'turn.ended') return;
        }
        // The turn is over without a `turn.ended`: its session was deleted, and its events with it.
        if (isOver) return;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      for (const leave of onLeft.reverse()) leave?.();
    }
  }

  /** The events after a cursor: from the log, and from the archive where the log does not reach back. */
  async #backfill(
    turnId: string,
    last: EventCursor,
    { isNew, isOver }: Backfill,
  ): Promise<(readonly TurnEvent[])[]> {
    const logged = await this.log.read(turnId, last);
    // The first of a new turn are few.
    if (!isNew) await this.#backfills.next();
    const isWhole = (isNew || logged.length > 0) && !continueAfter(last, logged).hasGap;
    // The log of a turn that is over may still lack what was stored, and no hint of it will come.
    if (isWhole && !isOver) return [logged];
    return [await loadArchive(this.db, turnId), logged];
  }
}

/** The events after a cursor, and whether one is missing before or between them. */
interface Continuation {
  events: readonly TurnEvent[];
  hasGap: boolean;
}

const missed: Continuation = { events: [], hasGap: true };

/** The events after a cursor, each once: a log that was restored publishes events again. */
function continueAfter(cursor: EventCursor, events: readonly TurnEvent[]): Continuation {
  let end = cursor;
  let hasGap = false;
  // Mostly all of them are fresh: the array stays the one that the turn's other readers have.
  let fresh: TurnEvent[] | undefined;
  for (const [index, event] of events.entries()) {
    if (compareCursors(event, end) <= 0) {
      fresh ??= events.slice(0, index);
      continue;
    }
    // A turn's first attempt is 1; some turns have events of attempt 0 before it.
    const isStart = compareCursors(end, logStart) === 0;
    hasGap ||= isStart
      ? event.attempt > 1 || event.seq > 1
      : followsOn(end, event, event) === 'gap';
    end = event;
    fresh?.push(event);
  }
  return { events: fresh ?? events, hasGap };
}
