import type { Clock } from '../../platform/clock.js';

const noteLimit = 200;

export interface ProgressTicker {
  /** What to say from the next tick on; cut at 200 characters. */
  note(text: string): void;
  /** No emission after this. */
  stop(): void;
}

export interface TickerOptions {
  clock: Clock;
  /** What to say until the tool says something itself. */
  firstNote: string;
  /** Milliseconds between two emissions; 5000 unless told. */
  everyMs?: number;
  /** Called with the latest note and the milliseconds since the start. Must not throw. */
  emit(note: string, elapsedMs: number): void;
}

/** Emits the latest note at a fixed pace, so that a chatty tool cannot flood the log. */
export function startProgressTicker(options: TickerOptions): ProgressTicker {
  const { clock, everyMs = 5000 } = options;
  const startedAt = clock.now();
  let latest = options.firstNote;
  let cancel = clock.after(everyMs, tick);
  function tick(): void {
    cancel = clock.after(everyMs, tick);
    options.emit(latest, clock.now() - startedAt);
  }
  return {
    note: (text) => {
      latest = text.slice(0, noteLimit);
    },
    stop: () => cancel(),
  };
}
