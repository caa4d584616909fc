import { isoTime, type Clock } from '../platform/clock.js';
import type { Database, Queryable } from '../storage/connection.js';
import { archiveEvents } from './archive.js';
import type { EventLog } from './event-log.js';
import { pushMerged } from './merge-deltas.js';
import type { TurnEvent, TurnEventBody } from './turn-event.js';

export interface EventWriterDeps {
  log: EventLog;
  db: Database;
  clock: Clock;
  turnId: string;
  attempt: number;
  /** Called once, when an append or a commit failed. Nothing is written after that. */
  onFailure(error: unknown): void;
}

type Facts = (tx: Queryable) => Promise<void>;

interface Commit {
  events: TurnEventBody[];
  store: Facts;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The one writer of an attempt. `emit` is for what may be lost with the process (deltas, progress);
 * `commit` is for facts: the fact, every event said so far and the events that tell the fact go
 * into one transaction, and only then to readers. So a reader never sees a fact that a crash can
 * take back, and the archive never lacks an event whose fact it holds.
 *
 * Whatever waits while a write is in flight goes out together, adjacent deltas merged; nothing
 * waits for a timer.
 */
export class EventWriter {
  #seq = 0;
  #waiting: TurnEventBody[] = [];
  #commits: Commit[] = [];
  #unarchived: TurnEvent[] = [];
  #pumping = false;
  #failure: { error: unknown } | undefined;

  constructor(private readonly deps: EventWriterDeps) {}

  emit(event: TurnEventBody): void {
    if (this.#failure !== undefined) return;
    pushMerged(this.#waiting, event);
    if (!this.#pumping) void this.#pump();
  }

  /**
   * Stores facts with their events. What was emitted before comes before `events`.
   *
   * @throws what the transaction or the log threw; the writer is then closed.
   */
  commit(events: TurnEventBody[], store: Facts): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise((resolve, reject) => {
      // What was emitted since the last commit was queued goes in front, into its transaction.
      this.#commits.push({ events: [...this.#waiting, ...events], store, resolve, reject });
      this.#waiting = [];
      if (!this.#pumping) void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    try {
      for (;;) {
        const commit = this.#commits[0];
        if (commit !== undefined) await this.#writeCommit(commit);
        else if (this.#waiting.length > 0) await this.#writeWaiting();
        else return;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#pumping = false;
    }
  }

  async #writeWaiting(): Promise<void> {
    const events = this.#stamp(this.#waiting);
    this.#waiting = [];
    this.#unarchived.push(...events);
    await this.deps.log.append(this.deps.turnId, this.deps.attempt, events);
  }

  async #writeCommit(commit: Commit): Promise<void> {
    const events = this.#stamp(commit.events);
    const archived = [...this.#unarchived, ...events];
    await this.deps.db.transaction(async (tx) => {
      await commit.store(tx);
      await archiveEvents(tx, this.deps.turnId, archived);
    });
    this.#unarchived = [];
    await this.deps.log.append(this.deps.turnId, this.deps.attempt, events);
    this.#commits.shift();
    commit.resolve();
  }

  #stamp(bodies: readonly TurnEventBody[]): TurnEvent[] {
    const at = isoTime(this.deps.clock);
    return bodies.map((body) => ({ ...body, attempt: this.deps.attempt, seq: ++this.#seq, at }));
  }

  #fail(error: unknown): void {
    this.#failure = { error };
    this.#waiting = [];
    for (const commit of this.#commits.splice(0)) commit.reject(error);
    this.deps.onFailure(error);
  }
}
