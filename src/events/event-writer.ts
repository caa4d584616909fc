import { isDatabaseDown, isStatementRefused } from '../storage/database-errors.js';
import { isoTime, type Clock } from '../platform/clock.js';
import { compact } from '../platform/compact.js';
import { retry, type RetryDelays } from '../platform/async/deadlines.js';
import type { Database } from '../storage/connection.js';
import type { StoreWrite } from '../storage/write-kind.js';
import { loadArchive } from './archive.js';
import type { EventCursor } from './cursor.js';
import { LogAppender } from './log-appender.js';
import { FencedError, type EventLog } from './event-log.js';
import { DeltaBuffer, pushMerged } from './delta-buffer.js';
import type { Stored, TurnCommits } from './turn-commits.js';
import type { TurnEvent, TurnEventBody } from './turn-event.js';

/** The delays between the tries of a commit that the database did not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** Events that may be in the log and not in the archive; with more, a commit is made for them alone. */
const MAX_UNARCHIVED_EVENTS = 1_000;

export interface EventWriterDeps {
  log: EventLog;
  /** Loads the archive. */
  db: Database;
  commits: Pick<TurnCommits, 'store'>;
  clock: Clock;
  turnId: string;
  attempt: number;
  /** See `LogAppenderDeps`. */
  before: EventCursor;
  /** Longest time that a commit is tried again while the database does not answer, in ms. */
  commitTimeoutMs: number;
  /** Whether another worker may own the turn by now. Nothing is stored then. */
  isLost(): boolean;
  /** Called after events were archived. */
  onStored?(events: readonly TurnEvent[]): void;
  /** Called for each append that the log refused and that is tried again. */
  onLogError(error: unknown): void;
  /** Called once, when the attempt was fenced or a commit failed. Nothing is written after that. */
  onFailure(error: unknown): void;
}

interface Batch {
  events: readonly TurnEvent[];
  writes: readonly StoreWrite[];
  /** See `TurnCommit`. */
  delivered?: number | undefined;
}

type EventStamp = Pick<TurnEvent, 'attempt' | 'seq' | 'at'>;

const emptyBatch: Batch = { events: [], writes: [] };

/**
 * The one writer of an attempt. `emit` is for events that may be lost with the process (deltas,
 * progress). `commit` is for writes: the rows, all events emitted so far and the events of the writes
 * go into one statement, and only then to readers. So a reader never sees what a crash can take
 * back, and the archive never lacks an event whose rows are stored.
 *
 * The log is fed in parallel: a turn does not wait for its readers' log, and goes on without it.
 * Events that are emitted while an append is in flight go out together, adjacent deltas merged;
 * nothing waits for a timer.
 */
export class EventWriter {
  /** The number given last. */
  #seq = 0;
  /** The number of the last event that is stored or in the log. */
  #keptSeq = 0;
  /** Whether the database refused a statement for its content. */
  #isRefused = false;
  #pending: TurnEventBody[] = [];
  readonly #unarchived = new DeltaBuffer();
  /** Commits that are not stored yet. */
  #commits = 0;
  #deferred: Batch | undefined;
  #storing: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  readonly #feed: LogAppender;

  constructor(private readonly deps: EventWriterDeps) {
    const { log, db, clock, turnId, attempt, before } = deps;
    this.#feed = new LogAppender({
      log,
      clock,
      turnId,
      attempt,
      before,
      source: { next: () => this.#takePending(), unarchived: () => this.#unarchived.all() },
      loadArchived: () => loadArchive(db, turnId),
      observer: {
        onLogError: (error) => deps.onLogError(error),
        onFailure: (error) => this.#fail(error),
      },
    });
  }

  emit(event: TurnEventBody): void {
    if (this.#failure !== undefined) return;
    pushMerged(this.#pending, event);
    this.#feed.pull();
  }

  /**
   * Stores writes with their events. Events emitted before come before `events`.
   *
   * @throws what the database threw, FencedError among it; the writer is then closed.
   */
  async commit(events: readonly TurnEventBody[], writes: readonly StoreWrite[]): Promise<void> {
    await this.#commitDeferred(events, writes);
  }

  /**
   * Commits the writes that end the turn, unless more messages were steered into it than were
   * delivered: then nothing is stored, and what was deferred stays deferred.
   */
  async commitEnd(
    events: readonly TurnEventBody[],
    writes: readonly StoreWrite[],
    delivered: number | undefined,
  ): Promise<Stored> {
    const before = { seq: this.#seq, deferred: this.#deferred, pending: this.#pending };
    const stored = await this.#commitDeferred(events, writes, delivered);
    if (stored.type === 'undelivered') {
      this.#seq = before.seq;
      this.#deferred = before.deferred;
      this.#pending = [...before.pending, ...this.#pending];
    }
    return stored;
  }

  #commitDeferred(
    events: readonly TurnEventBody[],
    writes: readonly StoreWrite[],
    delivered?: number,
  ): Promise<Stored> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    this.defer(events, writes);
    const batch = { ...(this.#deferred ?? emptyBatch), delivered };
    this.#deferred = undefined;
    this.#commits += 1;
    const stored = this.#storing.then(() => this.#store(batch));
    this.#storing = stored.then(() => undefined);
    // The caller gets the failure from `stored`, later ones from `#failure`.
    this.#storing.catch(() => undefined);
    return stored;
  }

  /**
   * Keeps writes and their events for the next commit, which comes at once. Until then readers get
   * nothing more: it would come after events that they cannot have yet.
   */
  defer(events: readonly TurnEventBody[], writes: readonly StoreWrite[]): void {
    const stamped = this.#stamp([...this.#pending, ...events], this.deps.clock.now());
    this.#pending = [];
    const before = this.#deferred ?? emptyBatch;
    this.#deferred = {
      events: [...before.events, ...stamped],
      writes: [...before.writes, ...writes],
    };
  }

  /**
   * Writes again after a commit that the database refused for its content. That commit and all that
   * was to come after it are left out: a second try would be refused too, and the turn never end.
   */
  reopen(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.#seq = this.#keptSeq;
    this.#pending = [];
    this.#deferred = undefined;
    this.#storing = Promise.resolve();
  }

  /** Resolves when the log has everything, or after `ms`: the archive has it all the same. */
  flush(ms: number): Promise<void> {
    return this.#feed.flush(ms);
  }

  async #store(batch: Batch): Promise<Stored> {
    const { events } = batch;
    const archived = [...this.#unarchived.all(), ...events];
    let stored: Stored;
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      stored = await this.#storeOrRetry({ ...batch, events: archived });
      if (stored.type === 'undelivered') return stored;
      this.#unarchived.clear();
      this.#keptSeq = events.at(-1)?.seq ?? this.#keptSeq;
    } catch (error) {
      if (isStatementRefused(error)) this.#isRefused = true;
      else this.#fail(error);
      throw error;
    } finally {
      this.#commits -= 1;
    }
    this.#feed.push(events);
    this.deps.onStored?.(archived);
    return stored;
  }

  /** A database that is away for a while costs time, not the turn, as long as the lease lasts. */
  #storeOrRetry(batch: Batch): Promise<Stored> {
    const { commits, clock, turnId, attempt, commitTimeoutMs, isLost } = this.deps;
    const giveUpAt = clock.now() + commitTimeoutMs;
    const mayRetry = (error: unknown): boolean => isDatabaseDown(error) && clock.now() < giveUpAt;
    return retry(clock, { ...retryDelays, mayRetry }, async (failures) => {
      if (isLost()) throw new FencedError(turnId, attempt);
      return commits.store(compact({ ...batch, turnId, attempt, isRepeat: failures > 0 }));
    });
  }

  /** Takes the events that may go to the log now: none that comes after writes not stored yet. */
  #takePending(): readonly TurnEvent[] {
    if (this.#commits > 0 || this.#deferred !== undefined) return [];
    if (this.#failure !== undefined || this.#isRefused) return [];
    if (this.#unarchived.length > MAX_UNARCHIVED_EVENTS) {
      // A failure reaches `onFailure` as well.
      this.commit([], []).catch(() => undefined);
      return [];
    }
    if (this.#pending.length === 0) return [];
    const atMs = this.deps.clock.now();
    const events = this.#stamp(this.#pending, atMs);
    this.#pending = [];
    this.#keptSeq = this.#seq;
    this.#unarchived.push(events, atMs);
    return events;
  }

  #stamp(bodies: readonly TurnEventBody[], atMs: number): TurnEvent[] {
    const { attempt } = this.deps;
    const at = isoTime(atMs);
    return bodies.map((body) => stamp(body, { attempt, seq: ++this.#seq, at }));
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#pending = [];
    this.deps.onFailure(error);
  }
}

/** Most events are deltas of text, whose fields are written out: V8 copies an object of any kind far slower. */
function stamp(body: TurnEventBody, { attempt, seq, at }: EventStamp): TurnEvent {
  if (body.type !== 'text.delta') return { ...body, attempt, seq, at };
  return { type: body.type, step: body.step, text: body.text, attempt, seq, at };
}
