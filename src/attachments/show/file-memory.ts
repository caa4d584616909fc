import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config/config.js';
import type { Asker } from '../extract/asker.js';

/** Files count as so many bytes at least; finer than this is not counted. */
const UNIT_BYTES = 64 * 1024;
const MIB = 1024 * 1024;
/** Of all room, what one principal's turns hold at most: the rest is for others. */
const MOST_SHARE = 0.75;

interface Waiting {
  principalId: string;
  units: number;
  admit(): void;
}

interface Admission {
  admitted: Promise<void>;
  isAdmitted(): boolean;
  leave(): void;
}

/** How much of their files the running turns of a process hold at a time: who is too many waits. */
@Injectable()
export class FileMemory {
  readonly #units: number;
  #free: number;
  readonly #held = new Map<string, number>();
  readonly #waiting: Waiting[] = [];

  /** @param config one turn alone may hold more: it waits until it is alone. */
  constructor(@Inject(CONFIG) { attachmentMemoryMb }: Pick<Config, 'attachmentMemoryMb'>) {
    this.#units = Math.max(1, Math.floor((attachmentMemoryMb * MIB) / UNIT_BYTES));
    this.#free = this.#units;
  }

  /**
   * Waits for room: the turns of one principal in their order, and first of whom holds least. Nobody's
   * turns hold all of it together, unless one turn needs as much.
   *
   * @returns gives the room back; to be called once.
   * @throws what stops the wait.
   */
  async reserve(bytes: number, { principalId, wait }: Requester): Promise<() => void> {
    const units = Math.min(this.#units, Math.ceil(bytes / UNIT_BYTES));
    if (units === 0) return () => undefined;
    const admission = this.#ask(principalId, units);
    if (admission.isAdmitted()) return admission.leave;
    try {
      await wait(() => admission.admitted);
    } catch (error) {
      admission.leave();
      throw error;
    }
    return admission.leave;
  }

  #ask(principalId: string, units: number): Admission {
    let isAdmitted = false;
    const waiting: Waiting = { principalId, units, admit: () => undefined };
    const admitted = new Promise<void>((resolve) => {
      waiting.admit = () => {
        isAdmitted = true;
        resolve();
      };
    });
    this.#waiting.push(waiting);
    this.#admit();
    const leave = (): void => {
      if (isAdmitted) this.#take(principalId, -units);
      else this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      this.#admit();
    };
    return { admitted, isAdmitted: () => isAdmitted, leave };
  }

  #admit(): void {
    for (;;) {
      const next = this.#next();
      // It waits until it fits: smaller ones that pass it would keep it waiting for ever.
      if (next === undefined || next.units > this.#free) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#take(next.principalId, next.units);
      next.admit();
    }
  }

  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    const met = new Set<string>();
    for (const waiting of this.#waiting) {
      const isFirstOfIts = !met.has(waiting.principalId);
      met.add(waiting.principalId);
      if (!isFirstOfIts || !this.#mayHold(waiting)) continue;
      const isBetter =
        best === undefined || this.#heldBy(waiting.principalId) < this.#heldBy(best.principalId);
      if (isBetter) best = waiting;
    }
    return best;
  }

  #mayHold({ principalId, units }: Waiting): boolean {
    const held = this.#heldBy(principalId);
    return held === 0 || held + units <= this.#units * MOST_SHARE;
  }

  #heldBy(principalId: string): number {
    return this.#held.get(principalId) ?? 0;
  }

  #take(principalId: string, units: number): void {
    this.#free -= units;
    const held = this.#heldBy(principalId) + units;
    if (held === 0) this.#held.delete(principalId);
    else this.#held.set(principalId, held);
  }
}
