/** A process of the simulated deployment, or a client of it. */
export interface Actor {
  readonly name: string;
  /** Nothing of a dead process runs again. */
  isDead: boolean;
  /** Virtual time until which nothing of a frozen process runs, in ms since the epoch. */
  frozenUntil: number;
  /** Difference between the process's clock and the database's, in ms. */
  readonly skewMs: number;
  /** Whether the answer to the process's next statement is lost. */
  losesAnswer: boolean;
}

export function newActor(name: string, skewMs = 0): Actor {
  return { name, isDead: false, frozenUntil: 0, skewMs, losesAnswer: false };
}
