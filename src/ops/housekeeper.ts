import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

/** Pause between two rounds, in ms. */
const ROUND_MS = 10_000;

/** A periodic task; several processes may run it at the same time. */
export interface Chore {
  name: string;
  run(): Promise<unknown>;
}

/** Runs the chores, which remove expired data, round after round. */
export class Housekeeper {
  #cancelTimer = (): void => undefined;
  #round: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(
    private readonly chores: readonly Chore[],
    private readonly deps: { clock: Clock; logger: Logger },
  ) {}

  start(): void {
    this.#schedule();
  }

  /** Resolves when the chore in progress is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelTimer();
    await this.#round;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancelTimer = this.deps.clock.after(ROUND_MS, () => {
      this.#round = this.#doRound();
      void this.#round.then(() => this.#schedule());
    });
  }

  /** Never rejects: a failing chore does not keep the others from running. */
  async #doRound(): Promise<void> {
    for (const { name, run } of this.chores) {
      if (this.#stopped) return;
      try {
        await run();
      } catch (error) {
        this.deps.logger.warn(
          { chore: name, error },
          'old data could not be deleted (housekeeping): it is tried again in ten seconds',
        );
      }
    }
  }
}
