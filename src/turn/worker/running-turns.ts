import type { Lease } from '../state/lease.js';

export interface RunningTurn {
  lease: Lease;
  beat(): Promise<void>;
}

/** The turns that a worker runs. One may be here twice: an attempt that lost its lease, and the next. */
export class RunningTurns {
  readonly #byId = new Map<string, Set<RunningTurn>>();

  /** @returns removes the turn. */
  add(id: string, running: RunningTurn): () => void {
    const known = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, known.add(running));
    return () => this.#remove(id, running);
  }

  /** Extends the lease at once: the turn may have been cancelled or taken over. */
  beat(id: string): void {
    for (const running of this.#byId.get(id) ?? []) void running.beat();
  }

  endAll(reason: 'shutdown'): void {
    for (const running of this.#byId.values()) {
      for (const { lease } of running) lease.end(reason);
    }
  }

  #remove(id: string, running: RunningTurn): void {
    const known = this.#byId.get(id);
    known?.delete(running);
    if (known?.size === 0) this.#byId.delete(id);
  }
}
