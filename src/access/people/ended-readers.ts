import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { OpenReaders } from '../../http/streams/open-readers.js';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { hashOfPrincipal, PrincipalEpochs } from './principal-epochs.js';

/** Time between two looks, in ms. */
export const READERS_LOOK_MS = 500;
/** Age of an end that is still looked for, in ms: the database may have been away meanwhile. */
const LOOK_BACK_MS = 600_000;
/** A reader that began this long after an end may still have been let in by what was known before, in ms. */
const LATE_MS = 5_000;

/** Closes the streams of principals whose access was ended, in whichever process. */
@Injectable()
export class EndedReaders implements OnModuleInit, OnModuleDestroy {
  readonly #poller: Poller;

  constructor(
    private readonly readers: OpenReaders,
    private readonly epochs: PrincipalEpochs,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#poller = new Poller(() => this.#look(), {
      clock,
      waitMs: () => READERS_LOOK_MS,
      onError: (error) =>
        logger.warn(
          { error },
          'could not look for principals whose access was ended; their streams go on, trying again within a second',
        ),
    });
  }

  onModuleInit(): void {
    this.#poller.later();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#poller.stop();
  }

  /** Closes the streams that a principal has in this process. @returns how many there were. */
  close(principalId: string, endedAt: Date): number {
    const before = endedAt.getTime() + LATE_MS;
    return this.readers.close((of, openedAt) => of === principalId && openedAt < before);
  }

  /** Makes no requests while nobody reads. */
  async #look(): Promise<void> {
    if (this.readers.count === 0) return;
    const ended = await this.epochs.endedSince(new Date(this.clock.now() - LOOK_BACK_MS));
    if (ended.size === 0) return;
    this.readers.close((principalId, openedAt) => {
      const endedAt = ended.get(hashOfPrincipal(principalId));
      return endedAt !== undefined && openedAt < endedAt.getTime() + LATE_MS;
    });
  }
}
