import type { Deadline } from './lease.js';

/** A worker's terms for an attempt: where the attempt runs, and for how long. */
export interface WorkerTerms {
  /** The turn's own time. */
  deadline: Deadline;
  /** Waits for what needs no slot of the worker: other turns have it meanwhile. */
  withoutSlot: WithoutSlot;
}

export type WithoutSlot = <T>(wait: () => Promise<T>) => Promise<T>;
