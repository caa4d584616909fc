import { Inject, Injectable } from '@nestjs/common';
import { EVENT_LOG, type EventLog } from '../../events/event-log.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { isDatabaseDown } from '../../storage/database-errors.js';
import { PREFERENCE_MS } from './choose-fairly.js';
import { promoteHeld } from './promote-held.js';
import { QueuePositions } from './queue-positions.js';
import { SIGNAL_BUS, type SignalBus } from './signal-bus.js';
import { TURN_QUEUE, type TurnQueue } from './turn-queue.js';

/** An accepted turn's way to a worker. */
export interface Waking {
  /** To be called when a worker has the turn: nothing is published of its wait any more. */
  onBegun(): void;
  /**
   * Calls back once no worker could be told of the turn for three seconds, or the database takes no writes; at once where
   * that is known. The turn's `turn.queued` that says so is in the archive then, if it can be. @returns ends it.
   */
  onStuck(listener: () => void): () => void;
}

/** A free worker claims a turn in a few milliseconds: a turn still queued after these waits for a slot. */
const ANNOUNCE_AFTER_MS = 250;

/** Time after which a turn is stuck for which the queue took no token, in ms: a failover may be over by then. */
const STUCK_AFTER_MS = 3_000;

/**
 * Sees to turns that no worker has: promotes held ones, wakes workers for those that are queued, and publishes their
 * queue positions to readers.
 */
@Injectable()
export class QueueNotifier {
  readonly #positions: QueuePositions;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(TURN_QUEUE) private readonly queue: TurnQueue,
    @Inject(SIGNAL_BUS) private readonly bus: SignalBus,
    @Inject(EVENT_LOG) log: EventLog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.#positions = new QueuePositions(db, log, clock, logger);
  }

  /**
   * Wakes a worker for an accepted turn, publishes the turn's queue position if it has to wait, and that no worker
   * could be told. The turn is stored: the sweeper wakes a worker where this fails.
   *
   * @param preferred the worker that others leave the turn to for a moment; absent: any is as good.
   * @param logger of the request, or of the turn that delegated.
   */
  wakeWorker(
    turnId: string,
    preferred?: string,
    logger: Pick<Logger, 'warn'> = this.logger,
  ): Waking {
    const stuck = new StuckTurn();
    const cancels: (() => void)[] = [];
    const wake = (woken: Promise<void>, onWoken = (): void => undefined): void => {
      woken.then(onWoken, (error: unknown) =>
        logger.warn(
          { turnId, error },
          'could not tell the workers of a queued turn; nothing is lost: the sweeper of a worker starts it',
        ),
      );
    };
    const reportStuck = (): void =>
      void this.#archiveStuck(turnId, logger).then((isStuck) => isStuck && stuck.report());
    const announce = (): void => {
      this.#announce(turnId).catch((error: unknown) => {
        logger.warn(
          { turnId, error },
          'could not publish a queue position; readers of the turn do not see it',
        );
        // The claim needs more than this row: a database that is full does not let the turn begin.
        if (isDatabaseDown(error)) stuck.report();
      });
    };
    const wakeAll = (): void => {
      const cancelReport = this.clock.after(STUCK_AFTER_MS, reportStuck);
      wake(this.queue.wake(), cancelReport);
      cancels.push(cancelReport, this.clock.after(ANNOUNCE_AFTER_MS, announce));
    };
    if (preferred === undefined) wakeAll();
    else {
      wake(this.bus.publishTurn(preferred));
      // That worker may be full or gone: the others may have the turn from now on.
      cancels.push(this.clock.after(PREFERENCE_MS + 1, wakeAll));
    }
    const onBegun = (): void => {
      for (const cancel of cancels) cancel();
    };
    return { onBegun, onStuck: (listener) => stuck.watch(listener) };
  }

  /**
   * Archives that no worker could be told of a turn. The log is where the queue is, which takes nothing: who accepted the
   * turn tells its own readers.
   *
   * @returns whether the turn waits, as far as can be found out.
   */
  async #archiveStuck(turnId: string, logger: Pick<Logger, 'warn'>): Promise<boolean> {
    try {
      const stuck = { turnId, position: null, reason: 'queue-unavailable' } as const;
      return await this.#positions.archive(stuck);
    } catch (error) {
      logger.warn(
        { turnId, error },
        'no worker could be told of a queued turn, and its readers could not be told that either; the turn starts by itself once the database and the queue answer',
      );
      return true;
    }
  }

  /** Promotes the first held turn of a session, if no turn is active. */
  async promoteNext(sessionId: string): Promise<void> {
    const promoted = await promoteHeld(this.db, sessionId);
    if (promoted === undefined) return;
    this.wakeWorker(promoted);
    await this.publishHeld(sessionId);
  }

  /** Publishes the new positions of a session's held turns; 1 is the next. A failure is logged only. */
  publishHeld(sessionId: string): Promise<void> {
    return this.#positions.publishHeld(sessionId);
  }

  /**
   * Publishes the position of a turn that waits for a slot, and nothing where a worker has it.
   *
   * @returns whether it was told.
   */
  publishQueued(turnId: string): Promise<boolean> {
    return this.#positions.publish({ turnId, position: null });
  }

  /** Publishes the position of a held turn, and nothing where a worker has it. */
  async publishPosition(turnId: string, position: number): Promise<void> {
    await this.#positions.publish({ turnId, position });
  }

  /** Publishes a queue position. A claim skips a turn whose row is locked for that: another token is for it. */
  async #announce(turnId: string): Promise<void> {
    if (await this.publishQueued(turnId)) await this.queue.wake();
  }
}

/** Tells who waits for a turn, once, that it is stuck. */
class StuckTurn {
  #isStuck = false;
  readonly #listeners = new Set<() => void>();

  report(): void {
    if (this.#isStuck) return;
    this.#isStuck = true;
    for (const listener of this.#listeners) listener();
  }

  watch(listener: () => void): () => void {
    if (this.#isStuck) listener();
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
