import type { TurnEvent } from '../../../src/events/turn-event.js';
import { client, noteFault } from '../app/client.js';
import { readLog } from '../app/console-routes.js';
import { ValueStore } from '../app/value-store.js';

export interface LogState {
  events: readonly TurnEvent[];
  /** Everything that there is so far has been read. */
  isRead: boolean;
  fault?: unknown;
}

/** Between two looks while the turn runs: however fast it streams, the page is drawn at this pace. */
const PACE_MS = 400;

/** The events of a turn: what is stored, and the rest as it comes. */
export class TurnLog {
  readonly state = new ValueStore<LogState>({ events: [], isRead: false });
  readonly #closed = new AbortController();

  constructor(private readonly turnId: string) {}

  async open(): Promise<void> {
    try {
      await this.#readAll();
      if (!this.#isOver) await this.#follow();
    } catch (thrown) {
      if (this.#closed.signal.aborted) return;
      const fault = noteFault(thrown);
      this.state.update((state) => ({ ...state, fault }));
    }
  }

  close(): void {
    this.#closed.abort();
  }

  get #isOver(): boolean {
    return this.state.get().events.at(-1)?.type === 'turn.ended';
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const { events, nextCursor } = await readLog(this.turnId, this.#cursor());
      if (this.#closed.signal.aborted) return;
      const isRead = nextCursor === undefined;
      this.state.update((state) =>
        events.length === 0 && state.isRead === isRead
          ? state
          : { events: [...state.events, ...events], isRead },
      );
      if (isRead) return;
    }
  }

  /** The stream says that there is something new; what it is has its time in the log only. */
  async #follow(): Promise<void> {
    const { signal } = this.#closed;
    let reading: Promise<void> | undefined;
    const cursor = this.#cursor();
    for await (const _frame of client().follow(this.turnId, { signal, after: cursor })) {
      reading ??= this.#readSoon(() => (reading = undefined));
      reading.catch(() => undefined);
    }
    await reading;
    await this.#readAll();
  }

  /** @param begins called when what comes from now on needs another look. */
  async #readSoon(begins: () => void): Promise<void> {
    await pause(PACE_MS, this.#closed.signal);
    begins();
    await this.#readAll();
  }

  #cursor(): string | undefined {
    const last = this.state.get().events.at(-1);
    return last === undefined ? undefined : `${this.turnId}:${last.attempt}.${last.seq}`;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}
