import { Semaphore } from 'async-mutex';
import { untilAborted } from '../platform/abort.js';

/** Files count as so many bytes at least; finer than this is not counted. */
const UNIT_BYTES = 64 * 1024;

/** How much of their files the running turns of a process hold at a time: who is too many waits. */
export class FileMemory {
  readonly #units: number;
  readonly #room: Semaphore;

  /** @param maxBytes one turn alone may hold more: it waits until it is alone. */
  constructor(maxBytes: number) {
    this.#units = Math.max(1, Math.floor(maxBytes / UNIT_BYTES));
    this.#room = new Semaphore(this.#units);
  }

  /**
   * Waits for room, first come, first served.
   *
   * @returns gives the room back; to be called once.
   * @throws the signal's reason.
   */
  async hold(bytes: number, signal: AbortSignal): Promise<() => void> {
    const units = Math.min(this.#units, Math.ceil(bytes / UNIT_BYTES));
    if (units === 0) return () => undefined;
    const held = this.#room.acquire(units);
    try {
      const [, release] = await untilAborted(held, signal);
      return release;
    } catch (error) {
      // Room that comes to one who left goes to the next.
      void held.then(([, release]) => release());
      throw error;
    }
  }
}
