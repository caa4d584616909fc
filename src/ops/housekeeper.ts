import type { Clock } from '../platform/clock.js';
import type { Logger } from '../platform/logger.js';

/** Between two rounds, in ms. */
const ROUND_MS = 10_000;

/** Something to be done now and then; any number of processes may do it beside each other. */
export interface Chore {
  name: string;
  run(): Promise<unknown>;
}

/** Removes what need not be kept any longer, round after round. */
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

  /** Resolves when a round that is under way is done with its chore. */
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

  /** Never rejects: one chore that fails keeps no other from being done. */
  async #doRound(): Promise<void> {
    for (const { name, run } of this.chores) {
      if (this.#stopped) return;
      try {
        await run();
      } catch (error) {
        this.deps.logger.warn({ chore: name, error }, 'a chore failed; it is tried again');
      }
    }
  }
}
