import { LOCAL_USER } from '../access/principal.js';

/** The principal on whose behalf files are extracted, or memory for them is reserved. */
export interface Requester {
  /** Capacity is shared fairly by this id. */
  principalId: string;
  /**
   * Runs a wait for capacity: a turn may give up its worker slot meanwhile, or reject to stop
   * waiting.
   */
  wait<T>(work: () => Promise<T>): Promise<T>;
}

export const localRequester: Requester = { principalId: LOCAL_USER, wait: (work) => work() };
