import type { turns } from '../../storage/schema.js';

type Claimed = Pick<typeof turns.$inferSelect, 'attempt' | 'parkedAttempt' | 'attemptsInVain'>;

/**
 * The turns that one process took over and that have stored nothing new since. Any of them may be what
 * ended the process before: one on its last attempt runs beside no other of them, so that it is not
 * given up for what another one does.
 */
export class Recoveries {
  readonly #open = new Set<symbol>();
  #hasLast = false;

  constructor(private readonly mostAttemptsInVain: number) {}

  /**
   * @returns what says that the turn has stored something, or that its attempt is over; undefined: the
   *   turn has to wait for others.
   */
  begin({ attempt, parkedAttempt, attemptsInVain }: Claimed): (() => void) | undefined {
    const most = this.mostAttemptsInVain;
    const isRecovery = attempt > 1 && parkedAttempt !== attempt - 1;
    // One that is exhausted is only ended.
    if (!isRecovery || attemptsInVain > most) return () => undefined;
    const isLast = attemptsInVain > 1 && attemptsInVain === most;
    if (this.#hasLast || (isLast && this.#open.size > 0)) return undefined;
    const turn = Symbol('turn');
    this.#open.add(turn);
    this.#hasLast = isLast;
    return () => {
      if (!this.#open.delete(turn)) return;
      // Nothing was taken beside it.
      if (isLast) this.#hasLast = false;
    };
  }
}
