import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { SIGNAL_BUS, type SignalBus, type StopListening } from '../queue/signal-bus.js';

/** Time after its client left in which an equal request is a repeat, in ms. Clients wait seconds before they try again. */
const LEFT_MS = 120_000;

/** The most requests that are remembered; of more, the oldest are forgotten. */
const MAX_LEFT = 10_000;

/**
 * Digests of requests whose clients left before they had a byte of the answer, at any process. They are hints: whether
 * there is a turn to join is in the database, which is not asked for the requests of clients that stay.
 */
@Injectable()
export class LeftRequests {
  /** When each client left, the last one at the end. */
  readonly #leftAt = new Map<string, number>();
  #stopListening: StopListening = () => undefined;

  constructor(
    @Inject(SIGNAL_BUS) private readonly bus: Pick<SignalBus, 'publishLeft' | 'onLeft'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async start(): Promise<void> {
    this.#stopListening = await this.bus.onLeft((digest) => this.add(digest));
  }

  stop(): void {
    this.#stopListening();
  }

  has(digest: string): boolean {
    const leftAt = this.#leftAt.get(digest);
    return leftAt !== undefined && !this.#isOld(leftAt);
  }

  add(digest: string): void {
    this.#leftAt.delete(digest);
    this.#leftAt.set(digest, this.clock.now());
    for (const [oldest, leftAt] of this.#leftAt) {
      if (this.#leftAt.size <= MAX_LEFT && !this.#isOld(leftAt)) break;
      this.#leftAt.delete(oldest);
    }
  }

  /** Tells the other processes, once the database has it. */
  tell(digest: string): Promise<void> {
    return this.bus.publishLeft(digest);
  }

  #isOld(leftAt: number): boolean {
    return this.clock.now() - leftAt > LEFT_MS;
  }
}
