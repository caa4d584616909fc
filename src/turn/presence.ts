import type { Clock } from '../platform/clock.js';

interface TurnReaders {
  count: number;
  cancelTimer: () => void;
}

/**
 * Who reads which turn, in this process. A turn whose last reader left is given `graceMs` for one
 * to come back; then `onAbandoned` hears of it.
 */
export class Presence {
  readonly #turns = new Map<string, TurnReaders>();

  constructor(
    private readonly clock: Clock,
    private readonly graceMs: number,
    private readonly onAbandoned: (turnId: string) => void,
  ) {}

  /** A reader is about to come; if none does within the grace, the turn counts as abandoned. */
  expect(turnId: string): void {
    const readers = this.#of(turnId);
    if (readers.count === 0) this.#startGrace(turnId, readers);
  }

  /** @returns what to call, once, when this reader is gone. */
  join(turnId: string): () => void {
    const readers = this.#of(turnId);
    readers.count += 1;
    readers.cancelTimer();
    return () => {
      readers.count -= 1;
      if (readers.count === 0) this.#startGrace(turnId, readers);
    };
  }

  /** The turn has ended: nobody's absence matters any more. */
  forget(turnId: string): void {
    this.#turns.get(turnId)?.cancelTimer();
    this.#turns.delete(turnId);
  }

  close(): void {
    for (const readers of this.#turns.values()) readers.cancelTimer();
    this.#turns.clear();
  }

  #of(turnId: string): TurnReaders {
    const existing = this.#turns.get(turnId);
    if (existing !== undefined) return existing;
    const readers: TurnReaders = { count: 0, cancelTimer: () => undefined };
    this.#turns.set(turnId, readers);
    return readers;
  }

  #startGrace(turnId: string, readers: TurnReaders): void {
    // Forgotten in the meantime: the turn ended while this reader was still attached.
    if (this.#turns.get(turnId) !== readers) return;
    readers.cancelTimer();
    readers.cancelTimer = this.clock.after(this.graceMs, () => {
      this.#turns.delete(turnId);
      this.onAbandoned(turnId);
    });
  }
}
