import type { TurnEvent } from '#src/events/turn-event.js';
import { pause, systemClientClock } from '#src/client/transport/receive-frames.js';
import { client, reportFault } from '../../api/client.js';
import { ValueStore } from '../../hooks/value-store.js';

export interface LogState {
  events: readonly TurnEvent[];
  /** Every event that the log has so far is loaded. */
  isComplete: boolean;
  fault?: unknown;
}

/** Milliseconds between two requests, at least, while the turn runs. */
const INTERVAL_MS = 400;

/** Milliseconds between two requests for the events of somebody else's turn. */
const FOREIGN_MS = 2_000;

/** The events of a turn from its log, with those that are added while it runs. */
export class TurnLog {
  readonly state = new ValueStore<LogState>({ events: [], isComplete: false });
  readonly #closed = new AbortController();

  /** @param isForeign whether it is somebody else's turn, whose events an admin has without texts. */
  constructor(
    private readonly turnId: string,
    private readonly isForeign: boolean,
  ) {}

  async open(): Promise<void> {
    try {
      await this.#loadRest();
      if (!this.#isOver) await (this.isForeign ? this.#poll() : this.#follow());
    } catch (thrown) {
      if (this.#closed.signal.aborted) return;
      const fault = reportFault(thrown);
      this.state.update((state) => ({ ...state, fault }));
    }
  }

  close(): void {
    this.#closed.abort();
  }

  get #isOver(): boolean {
    return this.state.get().events.at(-1)?.type === 'turn.ended';
  }

  async #loadRest(): Promise<void> {
    for (;;) {
      const page = { limit: 1_000, cursor: this.#cursor() };
      const { turns } = client();
      const { events, nextCursor } = await (this.isForeign
        ? turns.anyLog(this.turnId, page)
        : turns.log(this.turnId, page));
      if (this.#closed.signal.aborted) return;
      const isComplete = nextCursor === undefined;
      this.state.update((state) =>
        events.length === 0 && state.isComplete === isComplete
          ? state
          : { events: [...state.events, ...events], isComplete },
      );
      if (isComplete) return;
    }
  }

  /** Streams are for the turn's own people. */
  async #poll(): Promise<void> {
    while (!this.#isOver) {
      await pause(systemClientClock, FOREIGN_MS, [this.#closed.signal]);
      await this.#loadRest();
    }
  }

  /** Loads new events of the log whenever the stream has a frame: frames have no times. */
  async #follow(): Promise<void> {
    const { signal } = this.#closed;
    let loading: Promise<void> | undefined;
    const cursor = this.#cursor();
    for await (const _frame of client().follow(this.turnId, { signal, after: cursor })) {
      loading ??= this.#loadSoon(() => (loading = undefined));
      loading.catch(() => undefined);
    }
    await loading;
    await this.#loadRest();
  }

  /** @param onStart called when the request starts: events after that need another request. */
  async #loadSoon(onStart: () => void): Promise<void> {
    await pause(systemClientClock, INTERVAL_MS, [this.#closed.signal]);
    onStart();
    await this.#loadRest();
  }

  #cursor(): string | undefined {
    const last = this.state.get().events.at(-1);
    return last === undefined ? undefined : `${this.turnId}:${last.attempt}.${last.seq}`;
  }
}
