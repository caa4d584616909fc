import { unendedStatuses } from '../../storage/shapes/stored-turn.js';
import { Inject, Injectable } from '@nestjs/common';
import { and, inArray } from 'drizzle-orm';
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
export class EndWatch {
  readonly #watchers = new Map<string, Set<() => void>>();
  #cancelTimer: (() => void) | undefined;

  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @returns what to call when nobody waits any more. */
  watch(turnId: string, onOver: () => void): () => void {
    const watchers = this.#watchers.get(turnId) ?? new Set();
    this.#watchers.set(turnId, watchers.add(onOver));
    this.#schedule();
    return () => {
      watchers.delete(onOver);
      if (watchers.size === 0 && this.#watchers.get(turnId) === watchers) {
        this.#watchers.delete(turnId);
      }
    };
  }

  close(): void {
    this.#cancelTimer?.();
    this.#watchers.clear();
  }

  #schedule(): void {
    if (this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.clock.after(LOOK_MS, () => {
      this.#look()
        .catch((error: unknown) =>
          this.logger.warn(
            { error },
            'turns that have ended could not be looked for: it is tried again',
          ),
        )
        .finally(() => {
          this.#cancelTimer = undefined;
          if (this.#watchers.size > 0) this.#schedule();
        });
    });
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
