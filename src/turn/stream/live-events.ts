import type { LogListener } from '../../events/event-log.js';
import type { TurnEvent } from '../../events/turn-event.js';

/** Events that wait for one reader; with more, they are dropped, and read again from the log. */
const MOST_PENDING = 1_000;

export type Taken =
  | { type: 'events'; events: readonly TurnEvent[] }
  /** Events may be missing among those that came. */
  | { type: 'missed' }
  /** The turn is over: all its events are stored. */
  | { type: 'over' }
  | { type: 'closed' };

/** Batches that came and were not taken yet, for one reader. */
export class LiveEvents implements LogListener {
  #pending: (readonly TurnEvent[])[] = [];
  #pendingEvents = 0;
  #hasMissed = false;
  #isOver = false;
  #isClosed = false;
  /** Resolves what the reader waits for. */
  #give: ((taken: Taken) => void) | undefined;

  onEvents(events: readonly TurnEvent[]): void {
    if (this.#hasMissed) return;
    const give = this.#give;
    if (give !== undefined) {
      // A reader that waits has taken all that came before.
      this.#give = undefined;
      return give({ type: 'events', events });
    }
    this.#pendingEvents += events.length;
    if (this.#pendingEvents > MOST_PENDING) return this.onMissed();
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
  next(): Promise<Taken> {
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

  #take(): Taken | undefined {
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
