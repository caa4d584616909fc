import type { SignalBus, StopListening } from './signal-bus.js';

/** The embedded bus: every listener is in this process. */
export class MemorySignalBus implements SignalBus {
  readonly #cancel = new Set<(turnId: string) => void>();
  readonly #readerCheck = new Set<() => void>();

  async publishCancel(turnId: string): Promise<void> {
    for (const listener of this.#cancel) listener(turnId);
  }

  async onCancel(listener: (turnId: string) => void): Promise<StopListening> {
    this.#cancel.add(listener);
    return () => this.#cancel.delete(listener);
  }

  async publishReaderCheck(): Promise<void> {
    for (const listener of this.#readerCheck) listener();
  }

  async onReaderCheck(listener: () => void): Promise<StopListening> {
    this.#readerCheck.add(listener);
    return () => this.#readerCheck.delete(listener);
  }

  async close(): Promise<void> {
    this.#cancel.clear();
    this.#readerCheck.clear();
  }
}
