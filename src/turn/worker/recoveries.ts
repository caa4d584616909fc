import type { turns } from '../../storage/schema.js';

type Claimed = Pick<typeof turns.$inferSelect, 'attempt' | 'parkedAttempt' | 'attemptsInVain'>;

/**
 * The takeovers of one process that have stored nothing new. Any of them may have ended the process
 * before: a turn on its last attempt runs beside no other takeover, which could cost it that attempt.
 */
export class Recoveries {
  readonly #open = new Set<symbol>();
  #hasLast = false;

  constructor(private readonly mostAttemptsInVain: number) {}

  /**
   * @returns to be called when the turn has stored something, or its attempt is over; undefined: the
   *   turn has to wait for other takeovers.
   */
  begin({ attempt, parkedAttempt, attemptsInVain }: Claimed): (() => void) | undefined {
    const most = this.mostAttemptsInVain;
    const isRecovery = attempt > 1 && parkedAttempt !== attempt - 1;
    // An exhausted turn is only ended.
    if (!isRecovery || attemptsInVain > most) return () => undefined;
    const isLast = attemptsInVain > 1 && attemptsInVain === most;
    if (this.#hasLast || (isLast && this.#open.size > 0)) return undefined;
    const turn = Symbol('turn');
    this.#open.add(turn);
    this.#hasLast = isLast;
    return () => {
      if (!this.#open.delete(turn)) return;
      // No other takeover ran beside it.
      if (isLast) this.#hasLast = false;
    };
  }
}
