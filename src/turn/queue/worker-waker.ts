import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { QueuePositions } from '../lifecycle/queue-positions.js';
import { TURN_QUEUE, type TurnQueue } from './turn-queue.js';

/** A free worker claims a turn in a few milliseconds: a turn still queued after these waits for a slot. */
const ANNOUNCE_AFTER_MS = 250;

/** Wakes workers for accepted turns. The turn is stored: the sweeper wakes a worker where this fails. */
@Injectable()
export class WorkerWaker {
  constructor(
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly positions: QueuePositions,
  ) {}

  /**
   * Wakes a worker, and publishes the turn's queue position if it has to wait.
   *
   * @param logger of the request, or of the turn that delegated.
   * @returns what to call when a worker has the turn: its queue position is not published then.
   */
  wake(turnId: string, logger: Pick<Logger, 'warn'> = this.logger): () => void {
    const warn = (message: string) => (error: unknown) => logger.warn({ turnId, error }, message);
    this.queue.wake().catch(warn('an accepted turn woke no worker at once'));
    return this.clock.after(ANNOUNCE_AFTER_MS, () => {
      this.#announce(turnId).catch(warn('a queue position was not published'));
    });
  }

  /** Publishes a queue position. A claim skips a turn whose row is locked for that: another token is for it. */
  async #announce(turnId: string): Promise<void> {
    if (await this.positions.publishQueued(turnId)) await this.queue.wake();
  }
}
