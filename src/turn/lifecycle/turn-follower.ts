import { Inject, Injectable } from '@nestjs/common';
import { and, inArray, sql } from 'drizzle-orm';
import { loadArchive } from '../../events/archive.js';
import { compareCursors, followsOn, logStart, type EventCursor } from '../../events/cursor.js';
import { EVENT_LOG, type EventLog, type LogListener } from '../../events/event-log.js';
import type { OnEvents, TurnEvent } from '../../events/turn-event.js';
import type { Asides } from '../../http/streams/aside.js';
import { LoopShare } from '../../platform/async/batcher.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { turns } from '../../storage/schema.js';
import { isLeased } from '../queue/turn-claims.js';
import { SilentWorkers } from './silent-workers.js';

/** Longest time that a reader waits for an end that is stored and was never published, in ms. */
const LOOK_MS = 5_000;

/** The worker that has a turn; null: none. */
const workerName = sql<
  string | null
>`case when ${isLeased} then split_part(${turns.worker}, ':', 2) end`;

/** Turns asked for in one query. */
const MAX_IDS_PER_QUERY = 1_000;

/**
 * Ends a turn's readers when the log does not: the worker died between storing the end and
 * publishing it, or the log was away. One query a while for all turns that this process reads.
 */
@Injectable()
export class EndPoller {
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #poller: Poller;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Logger,
    private readonly silent: SilentWorkers,
  ) {
    this.#poller = new Poller(() => this.#look(), {
      clock,
      waitMs: () => (this.#watchers.size > 0 ? LOOK_MS : undefined),
      onError: (error) =>
        logger.warn({ error }, 'could not check which turns have ended; trying again in 5 seconds'),
    });
  }

  /** @returns what to call when nobody waits any more. */
  watch(turnId: string, onOver: () => void): () => void {
    const watchers = this.#watchers.get(turnId) ?? new Set();
    this.#watchers.set(turnId, watchers.add(onOver));
    this.#poller.later();
    return () => {
      watchers.delete(onOver);
      if (watchers.size === 0 && this.#watchers.get(turnId) === watchers) {
        this.#watchers.delete(turnId);
      }
    };
  }

  close(): void {
    void this.#poller.stop();
    this.#watchers.clear();
  }

  async #look(): Promise<void> {
    const ids = [...this.#watchers.keys()];
    for (let from = 0; from < ids.length; from += MAX_IDS_PER_QUERY) {
      const asked = ids.slice(from, from + MAX_IDS_PER_QUERY);
      const active = await this.db
        .select({ id: turns.id, worker: workerName })
        .from(turns)
        .where(and(inArray(turns.id, asked), inArray(turns.status, [...unendedStatuses])));
      const goOn = new Set(active.map(({ id }) => id));
      for (const { worker } of active) if (worker !== null) this.silent.expect(worker);
      for (const id of asked) {
        if (!goOn.has(id)) for (const onOver of this.#watchers.get(id) ?? []) onOver();
      }
    }
  }
}

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
  /** Calls back where events are archived that the log could not be given. @returns ends it. */
  onMissed?: ((listener: () => void) => () => void) | undefined;
  /** Called with where events were loaded from that came before the reader, or that it missed. */
  onBackfilled?(source: 'log' | 'archive'): void;
}

/** Readers that are given what came before them in one cycle of the event loop: it may take milliseconds each. */
const BACKFILLS_AT_ONCE = 4;

@Injectable()
export class TurnFollower {
  readonly #backfills = new LoopShare(BACKFILLS_AT_ONCE);

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(DATABASE) private readonly db: Database,
    private readonly ends: EndPoller,
    private readonly silent: SilentWorkers,
  ) {}

  /** Says where the turn's worker does not answer. Undefined: no other process has the turn. */
  stallsOf(turnId: string): Asides | undefined {
    const { silent } = this;
    return silent.isPossible ? (tell) => silent.watch(turnId, tell) : undefined;
  }

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
    take: OnEvents,
    { stage = 'open', onMissed, onBackfilled }: FollowOptions = {},
  ): Promise<void> {
    if (stage === 'ended') {
      const events = await loadArchive(this.db, turnId);
      await this.#backfills.next();
      onBackfilled?.('archive');
      await take(events);
      return;
    }
    if (signal.aborted) return;
    const live = new LiveEvents();
    // Not read for each batch: V8 gives each signal a hidden class of its own, and looks its properties up anew.
    const onAbort = (): void => live.close();
    signal.addEventListener('abort', onAbort, { once: true });
    const onLeft: (() => void)[] = [];
    try {
      onLeft.push(await this.log.subscribe(turnId, live));
      onLeft.push(this.ends.watch(turnId, () => live.onOver()));
      if (onMissed !== undefined) onLeft.push(onMissed(() => live.onMissed()));
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
      for (const leave of onLeft.reverse()) leave();
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

/** Events that wait for one reader; with more, they are dropped, and read again from the log. */
const MAX_PENDING_EVENTS = 1_000;

export type ReaderUpdate =
  | { type: 'events'; events: readonly TurnEvent[] }
  /** Events may be missing among those that came. */
  | { type: 'missed' }
  /** The turn is over: all its events are stored. */
  | { type: 'over' }
  | { type: 'closed' };

/** Batches that came and were not taken yet, for one reader. */
class LiveEvents implements LogListener {
  #pending: (readonly TurnEvent[])[] = [];
  #pendingEvents = 0;
  #hasMissed = false;
  #isOver = false;
  #isClosed = false;
  /** Resolves what the reader waits for. */
  #give: ((taken: ReaderUpdate) => void) | undefined;

  onEvents(events: readonly TurnEvent[]): void {
    if (this.#hasMissed) return;
    const give = this.#give;
    if (give !== undefined) {
      // A reader that waits has taken all that came before.
      this.#give = undefined;
      return give({ type: 'events', events });
    }
    this.#pendingEvents += events.length;
    if (this.#pendingEvents > MAX_PENDING_EVENTS) return this.onMissed();
    this.#pending.push(events);
  }

  onMissed(): void {
    this.#hasMissed = true;
    this.#takePending();
    this.#wake();
  }

  onOver(): void {
    this.#isOver = true;
    this.#wake();
  }

  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Takes the events since the last call, a lone batch as it came; waits where there are none. */
  next(): Promise<ReaderUpdate> {
    return new Promise((resolve) => {
      this.#give = resolve;
      this.#wake();
    });
  }

  #wake(): void {
    if (this.#give === undefined) return;
    const taken = this.#take();
    if (taken === undefined) return;
    this.#give(taken);
    this.#give = undefined;
  }

  #take(): ReaderUpdate | undefined {
    if (this.#isClosed) return { type: 'closed' };
    if (this.#hasMissed) {
      this.#hasMissed = false;
      return { type: 'missed' };
    }
    if (this.#pendingEvents > 0) return { type: 'events', events: this.#takePending() };
    return this.#isOver ? { type: 'over' } : undefined;
  }

  #takePending(): readonly TurnEvent[] {
    const [first = [], ...others] = this.#pending;
    this.#pending = [];
    this.#pendingEvents = 0;
    return others.length === 0 ? first : [...first, ...others.flat()];
  }
}
