import type { Clock } from '../../../platform/clock.js';

export interface FairSlotsOptions {
  /** Jobs that run at a time. */
  slots: number;
  /** Time a job runs before a job of another principal may preempt it, in ms. */
  quantumMs: number;
  clock: Clock;
}

/** A running job's view of its slot. */
export interface Slot {
  /** Aborts when the job is preempted: it stops, and is run again from its start. */
  signal: AbortSignal;
  /** Starts the quantum, once the job is set up: setup time is not the job's own. */
  begin(): void;
}

interface Job {
  principalId: string;
  /** Whether the job has run for a quantum. */
  isLong: boolean;
  run(slot: Slot): Promise<void>;
  reject(reason: unknown): void;
}

interface Running {
  job: Job;
  stop: AbortController;
}

/** Principals whose last service is remembered. */
const MAX_REMEMBERED = 1_000;

/**
 * Fair scheduling, by principal, of jobs of unknown length: the next job belongs to the principal with
 * the fewest slots, and on a tie to the one served longest ago.
 *
 * Long jobs never fill all slots while a short job is queued: the scheduler preempts a long job, which
 * from then on may use all slots but one. So a short job waits for a quantum at most. A single slot is
 * shared in turn, without preemption.
 */
export class FairSlots {
  readonly #queued: Job[] = [];
  readonly #running = new Set<Running>();
  /** The service count at which each principal was last served; the longest ago first. */
  readonly #served = new Map<string, number>();
  #serves = 0;

  constructor(private readonly options: FairSlotsOptions) {}

  /** @throws what the job throws, unless it was preempted; the reason given to `clear`. */
  run<T>(principalId: string, job: (slot: Slot) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = async (slot: Slot): Promise<void> => resolve(await job(slot));
      this.#queued.push({ principalId, isLong: false, run, reject });
      this.#fill();
    });
  }

  /** Rejects all queued jobs. */
  clear(reason: unknown): void {
    for (const job of this.#queued.splice(0)) job.reject(reason);
  }

  #fill(): void {
    while (this.#running.size < this.options.slots) {
      const job = this.#next((queued) => !queued.isLong || this.#hasSlotForLong());
      if (job === undefined) break;
      this.#queued.splice(this.#queued.indexOf(job), 1);
      void this.#serve(job);
    }
    this.#preempt();
  }

  async #serve(job: Job): Promise<void> {
    const running = { job, stop: new AbortController() };
    this.#running.add(running);
    this.#remember(job.principalId);
    let cancel = (): void => undefined;
    const begin = (): void => {
      cancel = this.options.clock.after(this.options.quantumMs, () => {
        job.isLong = true;
        this.#preempt();
      });
    };
    try {
      await job.run({ signal: running.stop.signal, begin });
    } catch (error) {
      if (running.stop.signal.aborted) this.#queued.unshift(job);
      else job.reject(error);
    } finally {
      cancel();
      this.#running.delete(running);
      this.#fill();
    }
  }

  /** Stops a long job when all slots have long jobs and a short job is queued. */
  #preempt(): void {
    const { slots } = this.options;
    const running = [...this.#running];
    if (slots === 1 || running.length < slots) return;
    if (running.some(({ job, stop }) => !job.isLong || stop.signal.aborted)) return;
    const next = this.#next((job) => !job.isLong);
    if (next === undefined) return;
    const most = this.#slotsOf(next.principalId);
    // The job that started last loses the least work. A principal loses no slot to a principal with
    // as many.
    running
      .findLast(
        ({ job: { principalId } }) =>
          principalId === next.principalId || this.#slotsOf(principalId) > most,
      )
      ?.stop.abort();
  }

  #next(isEligible: (job: Job) => boolean): Job | undefined {
    let best: Job | undefined;
    for (const job of this.#queued) {
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
    if (this.#served.size > MAX_REMEMBERED && oldest !== undefined) this.#served.delete(oldest);
  }
}
