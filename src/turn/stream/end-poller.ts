import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { Inject, Injectable } from '@nestjs/common';
import { and, inArray } from 'drizzle-orm';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { turns } from '../../storage/schema.js';

/** Longest time that a reader waits for an end that is stored and was never published, in ms. */
const LOOK_MS = 5_000;

/** Turns asked for in one query. */
const MOST_AT_ONCE = 1_000;

/**
 * Ends a turn's readers when the log does not: the worker died between storing the end and
 * publishing it, or the log was away. One query a while for all turns that this process reads.
 */
@Injectable()
export class EndPoller {
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #poller: Poller;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#poller = new Poller(() => this.#look(), {
      clock,
      waitMs: () => (this.#watchers.size > 0 ? LOOK_MS : undefined),
      onError: (error) =>
        logger.warn({ error }, 'turns that have ended could not be looked for: it is tried again'),
    });
  }

  /** @returns what to call when nobody waits any more. */
  watch(turnId: string, onOver: () => void): () => void {
    const watchers = this.#watchers.get(turnId) ?? new Set();
    this.#watchers.set(turnId, watchers.add(onOver));
    this.#poller.later();
    return () => {
      watchers.delete(onOver);
      if (watchers.size === 0 && this.#watchers.get(turnId) === watchers) {
        this.#watchers.delete(turnId);
      }
    };
  }

  close(): void {
    void this.#poller.stop();
    this.#watchers.clear();
  }

  async #look(): Promise<void> {
    const ids = [...this.#watchers.keys()];
    for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
      const asked = ids.slice(from, from + MOST_AT_ONCE);
      const active = await this.db
        .select({ id: turns.id })
        .from(turns)
        .where(and(inArray(turns.id, asked), inArray(turns.status, [...unendedStatuses])));
      const goOn = new Set(active.map(({ id }) => id));
      for (const id of asked) {
        if (!goOn.has(id)) for (const onOver of this.#watchers.get(id) ?? []) onOver();
      }
    }
  }
}
