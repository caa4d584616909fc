import { Inject, Injectable } from '@nestjs/common';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { OPENED_DATABASE, type OpenedDatabase } from '../../storage/connection.js';
import type { SessionLock } from '../../storage/session-lock.js';
import { SIGNAL_BUS, type SignalBus } from '../queue/signal-bus.js';
import { TurnClaims } from '../queue/turn-claims.js';

/** Interval of the looks, in ms. */
const LOOK_MS = 1_000;
/** Interval of the signs of life for readers, in ms. */
const SIGN_MS = 2_000;
/** For this long, in ms, nothing shows the life of a worker that is gone: a connection that broke is back earlier. */
const GONE_MS = 3_000;
/** After a longer time without a look, in ms, this process does not know what happened meanwhile. */
const MAX_GAP_MS = 2_500;

/**
 * Shows that this worker lives, and finds turns whose worker has died, without waiting for the end of their leases.
 *
 * Each worker holds a lock on a connection of its own. The kernel closes the connection of a process that dies, and
 * keeps that of one that is stopped, blocks its event loop or waits for a slow database: those keep their turns until
 * their leases end, and `SilentWorkers` tells their readers. It costs one connection a worker, one query a second and a
 * message every two; nothing is written.
 */
@Injectable()
export class WorkerLives {
  readonly #poller: Poller;
  readonly #signs: Poller;
  /** When each silent worker was first found so, in ms. */
  #silentSince = new Map<string, number>();
  #lookedAt = 0;
  #lock: SessionLock | undefined;

  constructor(
    @Inject(OPENED_DATABASE) private readonly database: Pick<OpenedDatabase, 'hold'>,
    @Inject(SIGNAL_BUS) private readonly bus: Pick<SignalBus, 'workerId' | 'publishAlive'>,
    @Inject(TurnClaims)
    private readonly claims: Pick<TurnClaims, 'silentWorkers' | 'releaseOf' | 'livingWorkers'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn'>,
  ) {
    this.#poller = new Poller(() => this.#look(), {
      clock,
      waitMs: () => LOOK_MS,
      onError: (error) =>
        logger.warn(
          { error },
          'could not look for workers that have died; trying again in a second, and their leases end by themselves',
        ),
    });
    this.#signs = new Poller(() => bus.publishAlive(bus.workerId ?? ''), {
      clock,
      waitMs: () => SIGN_MS,
      onError: (error) =>
        logger.warn(
          { error },
          'could not tell other processes that this worker answers; trying again in two seconds',
        ),
    });
  }

  /** Before the first claim: a worker without a lock looks as one that is gone. */
  async start(): Promise<void> {
    const { database, bus, logger } = this;
    if (database.hold === undefined || bus.workerId === null) return;
    this.#lock = await database.hold(bus.workerId, (error) =>
      logger.warn(
        { error },
        'lost the connection that shows other processes that this worker lives; opening it again, and others may take its turns over in three seconds',
      ),
    );
    // Started again alone, it need not wait for what others might show.
    if ((await this.claims.livingWorkers()) === 1) {
      for (const worker of await this.claims.silentWorkers()) await this.#release(worker);
    }
    this.#poller.later();
    this.#signs.now();
  }

  /** After the last turn: those that are left would be taken over. */
  async stop(): Promise<void> {
    await this.#poller.stop();
    await this.#signs.stop();
    await this.#lock?.close();
  }

  async #look(): Promise<void> {
    const { claims, clock } = this;
    const silent = await claims.silentWorkers();
    const now = clock.now();
    const before =
      now - this.#lookedAt > MAX_GAP_MS ? new Map<string, number>() : this.#silentSince;
    this.#lookedAt = now;
    this.#silentSince = new Map(silent.map((worker) => [worker, before.get(worker) ?? now]));
    for (const [worker, since] of this.#silentSince) {
      if (now - since < GONE_MS) continue;
      await this.#release(worker);
    }
  }

  async #release(worker: string): Promise<void> {
    const turns = await this.claims.releaseOf(worker);
    if (turns === 0) return;
    this.logger.info({ worker, turns }, 'a worker has died; its turns are taken over');
  }
}
