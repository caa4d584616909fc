import { isoTime, type Clock } from '../platform/clock.js';
import { compact } from '../platform/compact.js';
import { retry, type RetryDelays } from '../platform/retry.js';
import type { Database } from '../storage/connection.js';
import { isDatabaseDown } from '../storage/database-down.js';
import { isStatementRefused } from '../storage/statement-refused.js';
import { readArchive } from './archive.js';
import { LogAppender } from './log-appender.js';
import { FencedError, type EventLog } from './event-log.js';
import { pushMerged } from './merge-deltas.js';
import { storeWrites, type Write, type Stored } from './store-writes.js';
import type { TurnEvent, TurnEventBody } from './turn-event.js';

/** The delays between the tries of a commit that the database did not answer. */
const retryDelays: RetryDelays = { firstMs: 250, maxMs: 250 };

/** Events that wait for their archive; more are archived without waiting for a fact. */
const MOST_UNARCHIVED = 1_000;

export interface EventWriterDeps {
  log: EventLog;
  db: Database;
  clock: Clock;
  turnId: string;
  attempt: number;
  /** How long a commit is tried again while the database does not answer, in ms. */
  patienceMs: number;
  /** Whether the turn may be somebody else's by now. Nothing is stored then. */
  isLost(): boolean;
  /** Events were stored with their facts. */
  onStored?(events: readonly TurnEvent[]): void;
  /** The log refused something it will be offered again. */
  onProblem(error: unknown): void;
  /** Called once, when the attempt was fenced or a commit failed. Nothing is written after that. */
  onFailure(error: unknown): void;
}

/**
 * The one writer of an attempt. `emit` is for what may be lost with the process (deltas, progress);
 * `commit` is for facts: the fact, every event said so far and the events that tell the fact go
 * into one statement, and only then to readers. So a reader never sees a fact that a crash can
 * take back, and the archive never lacks an event whose fact it holds.
 *
 * The log is fed beside it: a turn does not wait for its readers' log, and goes on without it.
 * Whatever waits while an append is in flight goes out together, adjacent deltas merged; nothing
 * waits for a timer.
 */
export class EventWriter {
  #seq = 0;
  /** Of the last event that is stored or went out. */
  #lastSaid = 0;
  /** The database refused a statement for what it says. */
  #isRefused = false;
  #waiting: TurnEventBody[] = [];
  #unarchived: TurnEvent[] = [];
  #commits = 0;
  #held: { told: readonly TurnEvent[]; facts: readonly Write[] } | undefined;
  #storing: Promise<void> = Promise.resolve();
  #failure: { error: unknown } | undefined;
  readonly #feed: LogAppender;

  constructor(private readonly deps: EventWriterDeps) {
    this.#feed = new LogAppender({
      ...deps,
      next: () => this.#takeWaiting(),
      unarchived: () => this.#unarchived,
      archived: () => readArchive(deps.db, deps.turnId),
      onFailure: (error) => this.#fail(error),
    });
  }

  emit(event: TurnEventBody): void {
    if (this.#failure !== undefined) return;
    pushMerged(this.#waiting, event);
    this.#feed.pull();
  }

  /**
   * Stores facts with their events. What was emitted before comes before `events`.
   *
   * @throws what the database threw, FencedError among it; the writer is then closed.
   */
  async commit(events: readonly TurnEventBody[], facts: readonly Write[]): Promise<void> {
    await this.#commitHeld(events, facts);
  }

  /**
   * The same for the facts that end the turn, unless a message has joined it that is not among
   * those `heard`: then nothing is stored, and what was held before stays held.
   */
  async commitEnd(
    events: readonly TurnEventBody[],
    facts: readonly Write[],
    heard: number | undefined,
  ): Promise<Stored> {
    const before = { seq: this.#seq, held: this.#held, waiting: this.#waiting };
    const stored = await this.#commitHeld(events, facts, heard);
    if (stored.type === 'unheard') {
      this.#seq = before.seq;
      this.#held = before.held;
      this.#waiting = [...before.waiting, ...this.#waiting];
    }
    return stored;
  }

  #commitHeld(
    events: readonly TurnEventBody[],
    facts: readonly Write[],
    heard?: number,
  ): Promise<Stored> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    this.defer(events, facts);
    const { told, facts: all } = this.#held ?? { told: [], facts };
    this.#held = undefined;
    this.#commits += 1;
    const stored = this.#storing.then(() => this.#store(told, all, heard));
    this.#storing = stored.then(() => undefined);
    // Told to whoever commits; the next one asks for the failure.
    this.#storing.catch(() => undefined);
    return stored;
  }

  /**
   * Facts that are stored with the next commit, which comes at once. Until then readers get nothing
   * more: it would come after what they cannot have yet.
   */
  defer(events: readonly TurnEventBody[], facts: readonly Write[]): void {
    const told = this.#stamp([...this.#waiting, ...events]);
    this.#waiting = [];
    this.#held = {
      told: [...(this.#held?.told ?? []), ...told],
      facts: [...(this.#held?.facts ?? []), ...facts],
    };
  }

  /**
   * Writes again after a commit that the database refused for what it says: that one, and what was to
   * come after it, is left out. Trying it again would be refused again, and the turn never end.
   */
  reopen(): void {
    if (!this.#isRefused) return;
    this.#isRefused = false;
    this.#seq = this.#lastSaid;
    this.#waiting = [];
    this.#held = undefined;
    this.#storing = Promise.resolve();
  }

  /** Resolves when the log has everything, or `signal` aborts: the archive has it all the same. */
  flush(signal: AbortSignal): Promise<void> {
    return this.#feed.flush(signal);
  }

  async #store(
    told: readonly TurnEvent[],
    facts: readonly Write[],
    heard: number | undefined,
  ): Promise<Stored> {
    let stored: Stored;
    try {
      if (this.#failure !== undefined) throw this.#failure.error;
      const events = [...this.#unarchived, ...told];
      stored = await this.#storeInTheEnd({ events, facts, heard });
      if (stored.type === 'unheard') return stored;
      this.#unarchived = [];
      this.#lastSaid = told.at(-1)?.seq ?? this.#lastSaid;
    } catch (error) {
      if (isStatementRefused(error)) this.#isRefused = true;
      else this.#fail(error);
      throw error;
    } finally {
      this.#commits -= 1;
    }
    this.#feed.push(told);
    this.deps.onStored?.(told);
    return stored;
  }

  /** A database that is away for a while costs time, not the turn, as long as the lease holds. */
  async #storeInTheEnd(what: {
    events: readonly TurnEvent[];
    facts: readonly Write[];
    heard: number | undefined;
  }): Promise<Stored> {
    const { db, clock, turnId, attempt, patienceMs, isLost } = this.deps;
    const giveUpAt = clock.now() + patienceMs;
    const mayRetry = (error: unknown): boolean => isDatabaseDown(error) && clock.now() < giveUpAt;
    return retry(clock, { ...retryDelays, mayRetry }, async (failures) => {
      if (isLost()) throw new FencedError(turnId, attempt);
      const writes = compact({ ...what, isRepeat: failures > 0 });
      return storeWrites(db, { turnId, attempt }, writes);
    });
  }

  /** What may go to the log now: nothing that comes after a fact that is not stored yet. */
  #takeWaiting(): readonly TurnEvent[] {
    if (this.#commits > 0 || this.#held !== undefined) return [];
    if (this.#failure !== undefined || this.#isRefused) return [];
    if (this.#unarchived.length > MOST_UNARCHIVED) {
      // Told by `onFailure` as well.
      this.commit([], []).catch(() => undefined);
      return [];
    }
    const events = this.#stamp(this.#waiting);
    this.#waiting = [];
    this.#lastSaid = this.#seq;
    this.#unarchived.push(...events);
    return events;
  }

  #stamp(bodies: readonly TurnEventBody[]): TurnEvent[] {
    if (bodies.length === 0) return [];
    const at = isoTime(this.deps.clock);
    return bodies.map((body) => ({ ...body, attempt: this.deps.attempt, seq: ++this.#seq, at }));
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#waiting = [];
    this.deps.onFailure(error);
  }
}
