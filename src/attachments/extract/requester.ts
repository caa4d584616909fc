import { LOCAL_USER } from '../../access/ownership/local-user.js';

/** A principal's turn that needs files read, or memory for them. */
export interface Requester {
  /** Whose turn it is among all who want the same. */
  principalId: string;
  /** Waits for what is not there yet. It may give something up meanwhile, or stop waiting. */
  wait<T>(work: () => Promise<T>): Promise<T>;
}

export const localRequester: Requester = { principalId: LOCAL_USER, wait: (work) => work() };
