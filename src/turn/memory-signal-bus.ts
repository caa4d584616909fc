import type { SignalBus } from './signal-bus.js';

/** The embedded bus: every listener is in this process. */
export class MemorySignalBus implements SignalBus {
  readonly #listeners = new Set<(turnId: string) => void>();

  async publishCancel(turnId: string): Promise<void> {
    for (const listener of this.#listeners) listener(turnId);
  }

  async onCancel(listener: (turnId: string) => void): Promise<() => void> {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }
}
