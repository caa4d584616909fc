import type { Clock } from '../../../platform/clock.js';

export interface FairSlotsOptions {
  /** Jobs that run at a time. */
  slots: number;
  /** How long a job runs before it may have to make room for another principal's, in ms. */
  quantumMs: number;
  clock: Clock;
}

/** The slot that a job runs in. */
export interface Slot {
  /** Aborted when the job must make room. It stops, and is run again from its start. */
  signal: AbortSignal;
  /** Starts the quantum: what a job needs before it does anything is not its own time. */
  begin(): void;
}

interface Job {
  principalId: string;
  /** Whether it has run for a quantum. */
  isLong: boolean;
  run(slot: Slot): Promise<void>;
  reject(reason: unknown): void;
}

interface Running {
  job: Job;
  stop: AbortController;
}

/** Principals of whom it is remembered when they were last served. */
const MOST_REMEMBERED = 1_000;

/**
 * Slots for jobs of unknown length, fair by principal: the next job is of the principal that has the
 * fewest slots, and among those of the one that was served longest ago.
 *
 * Long jobs never have all slots while a short one waits. The one that stands in the way is stopped,
 * and from then on waits for one of the other slots: a first job waits for a quantum at most. A single
 * slot is shared in turn, without stopping anything.
 */
export class FairSlots {
  readonly #waiting: Job[] = [];
  readonly #running = new Set<Running>();
  /** When principals were last served, by a count; the longest ago first. */
  readonly #served = new Map<string, number>();
  #serves = 0;

  constructor(private readonly options: FairSlotsOptions) {}

  /** @throws what the job throws, unless it was stopped to make room; what `clear` was given. */
  run<T>(principalId: string, job: (slot: Slot) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (slot: Slot): Promise<void> => resolve(await job(slot));
      this.#waiting.push({ principalId, isLong: false, run, reject });
      this.#fill();
    });
  }

  /** Rejects everything that waits. */
  clear(reason: unknown): void {
    for (const job of this.#waiting.splice(0)) job.reject(reason);
  }

  #fill(): void {
    while (this.#running.size < this.options.slots) {
      const job = this.#next((waiting) => !waiting.isLong || this.#hasSlotForLong());
      if (job === undefined) break;
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      void this.#serve(job);
    }
    this.#makeRoom();
  }

  async #serve(job: Job): Promise<void> {
    const running = { job, stop: new AbortController() };
    this.#running.add(running);
    this.#remember(job.principalId);
    let cancel = (): void => undefined;
    const begin = (): void => {
      cancel = this.options.clock.after(this.options.quantumMs, () => {
        job.isLong = true;
        this.#makeRoom();
      });
    };
    try {
      await job.run({ signal: running.stop.signal, begin });
    } catch (error) {
      if (running.stop.signal.aborted) this.#waiting.unshift(job);
      else job.reject(error);
    } finally {
      cancel();
      this.#running.delete(running);
      this.#fill();
    }
  }

  /** Stops a long job where a short one waits behind nothing but long ones. */
  #makeRoom(): void {
    const { slots } = this.options;
    const running = [...this.#running];
    if (slots === 1 || running.length < slots) return;
    if (running.some(({ job, stop }) => !job.isLong || stop.signal.aborted)) return;
    const next = this.#next((job) => !job.isLong);
    if (next === undefined) return;
    const most = this.#slotsOf(next.principalId);
    // The latest has the least to lose. Nobody loses a slot to one who has as many.
    running
      .findLast(
        ({ job: { principalId } }) =>
          principalId === next.principalId || this.#slotsOf(principalId) > most,
      )
      ?.stop.abort();
  }

  #next(isEligible: (job: Job) => boolean): Job | undefined {
    let best: Job | undefined;
    for (const job of this.#waiting) {
      if (isEligible(job) && (best === undefined || this.#isBefore(job, best))) best = job;
    }
    return best;
  }

  #isBefore({ principalId: one }: Job, { principalId: other }: Job): boolean {
    if (one === other) return false;
    const difference = this.#slotsOf(one) - this.#slotsOf(other);
    if (difference !== 0) return difference < 0;
    return (this.#served.get(one) ?? 0) < (this.#served.get(other) ?? 0);
  }

  #slotsOf(principalId: string): number {
    return [...this.#running].filter(({ job }) => job.principalId === principalId).length;
  }

  #hasSlotForLong(): boolean {
    const long = [...this.#running].filter(({ job }) => job.isLong).length;
    return long < Math.max(1, this.options.slots - 1);
  }

  #remember(principalId: string): void {
    this.#served.delete(principalId);
    this.#served.set(principalId, (this.#serves += 1));
    const [oldest] = this.#served.keys();
    if (this.#served.size > MOST_REMEMBERED && oldest !== undefined) this.#served.delete(oldest);
  }
}
