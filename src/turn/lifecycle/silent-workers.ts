import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Aside } from '../../http/streams/aside.js';
import { Poller } from '../../platform/async/poller.js';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { LOGGER, type Logger } from '../../platform/logger.js';
import { SIGNAL_BUS, type SignalBus, type StopListening } from '../queue/signal-bus.js';
import { TurnClaims } from '../queue/turn-claims.js';

/** Interval of the looks, in ms. */
const LOOK_MS = 1_000;
/** For this long, in ms, nothing was heard of a worker that is said not to answer. */
const SILENT_MS = 5_000;
/** After a longer time without a look, or without its own sign of life, in ms, this process cannot judge others. */
const MAX_GAP_MS = 2_500;

interface Watcher {
  tell(aside: Aside): void;
  /** The silent worker that the reader was told of last, and when. */
  told?: { worker: string; at: number };
}

/**
 * Tells readers that the worker of their turn does not answer: it is stopped, blocked or cut off, and keeps the turn
 * until its lease ends. Workers give a sign of life every two seconds. The database is asked only where one is missing.
 *
 * A process that does not hear its own signs, because Redis is away or because it was busy itself, says nothing.
 */
@Injectable()
export class SilentWorkers implements OnModuleDestroy {
  /** Whether there are workers beside this process. A field, which costs a turn nothing. */
  readonly isPossible: boolean;
  readonly #poller: Poller;
  readonly #watchers = new Map<string, Set<Watcher>>();
  /** When a sign of each process came last. */
  readonly #heardAt = new Map<string, number>();
  /** Before this, a sign may have been missed. */
  #sureSince = 0;
  #lookedAt = 0;
  #stopListening: StopListening | undefined;

  constructor(
    @Inject(SIGNAL_BUS)
    private readonly bus: Pick<SignalBus, 'workerId' | 'publishAlive' | 'onAlive'>,
    @Inject(TurnClaims) private readonly claims: Pick<TurnClaims, 'leasedBy'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'warn'>,
  ) {
    this.isPossible = bus.workerId !== null;
    this.#poller = new Poller(() => this.#look(), {
      clock,
      waitMs: () => (this.#watchers.size > 0 ? LOOK_MS : undefined),
      onError: (error) =>
        logger.warn({ error }, 'could not check which workers answer; trying again in a second'),
    });
  }

  /** @returns what to call when the reader has left. */
  watch(turnId: string, tell: Watcher['tell']): () => void {
    const watcher: Watcher = { tell };
    const watchers = this.#watchers.get(turnId) ?? new Set();
    this.#watchers.set(turnId, watchers.add(watcher));
    this.#poller.later();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(turnId) === watchers) {
        this.#watchers.delete(turnId);
      }
    };
  }

  /** Notes that a worker has a turn that is read here: from now on a sign of it is missing where none comes. */
  expect(worker: string): void {
    if (this.isPossible && !this.#heardAt.has(worker)) this.#heardAt.set(worker, this.clock.now());
  }

  async onModuleDestroy(): Promise<void> {
    await this.#poller.stop();
    this.#stopListening?.();
  }

  async #look(): Promise<void> {
    const { bus, clock } = this;
    this.#stopListening ??= await bus.onAlive((worker) => this.#heardAt.set(worker, clock.now()));
    if (bus.workerId === null) return;
    await bus.publishAlive(bus.workerId);
    await this.#tell(this.#silent(clock.now(), bus.workerId));
  }

  /** How long each silent worker has been so, in ms. */
  #silent(now: number, own: string): Map<string, number> {
    const heardAt = this.#heardAt;
    const ownAt = heardAt.get(own) ?? -Infinity;
    const isSure = now - this.#lookedAt <= MAX_GAP_MS && now - ownAt <= MAX_GAP_MS;
    this.#lookedAt = now;
    if (!isSure) this.#sureSince = now;
    const silent = [...heardAt].map(
      ([worker, at]) => [worker, now - Math.max(at, this.#sureSince)] as const,
    );
    return new Map(silent.filter(([, ms]) => ms >= SILENT_MS));
  }

  async #tell(silent: ReadonlyMap<string, number>): Promise<void> {
    for (const [worker, silentMs] of silent) {
      const now = this.clock.now();
      const heardAt = this.#heardAt.get(worker);
      const turns = await this.claims.leasedBy(worker);
      // Nobody waits for one without turns: it has stopped, or what it had was taken over.
      if (turns.length === 0) this.#heardAt.delete(worker);
      let readers = 0;
      for (const { id, leaseUntil } of turns) {
        const data = { silentMs, leaseUntil: leaseUntil.toISOString() };
        for (const watcher of this.#watchers.get(id) ?? []) {
          const { told } = watcher;
          // Once, until it was heard again.
          if (told?.worker === worker && told.at >= (heardAt ?? 0)) continue;
          watcher.told = { worker, at: now };
          watcher.tell({ name: 'turn:stalled', data });
          readers += 1;
        }
      }
      if (readers === 0) continue;
      this.logger.warn(
        { worker, silentMs, turns: turns.length, readers },
        'a worker does not answer; if it stays silent, other workers take its turns over when their leases end',
      );
    }
  }
}
