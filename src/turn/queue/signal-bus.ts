import { newId } from '../../platform/ids.js';
import type { RedisSubscriber, RedisClient } from '../../storage/redis/redis-connection.js';

/** A function that ends what it was returned for. */
export type StopListening = () => void;

/**
 * Hints between processes. A hint that is lost costs latency, never correctness: its cause is in
 * the database as well, and is found with the next heartbeat. That a client left is the exception: an equal request
 * which does not say that it repeats is then a request of its own, as everywhere.
 */
export interface SignalBus {
  /** Names this process to those that prefer it for a turn; null: there is no other process. */
  readonly workerId: string | null;
  /** "Somebody asked for the end of this turn." */
  publishCancel(turnId: string): Promise<void>;
  /** Listens to every hint from when it resolves. */
  onCancel(listener: (turnId: string) => void): Promise<StopListening>;
  /** "Store now who reads here: turns seem to have no readers any more." */
  publishReaderCheck(): Promise<void>;
  /** Listens to every such hint from when it resolves. */
  onReaderCheck(listener: () => void): Promise<StopListening>;
  /** "A turn waits whose conversation you may remember." Only the worker of this name gets the hint. */
  publishTurn(workerId: string): Promise<void>;
  /** Listens to every such hint for this process from when it resolves. */
  onTurn(listener: () => void): Promise<StopListening>;
  /** "The client of this request left without an answer: an equal one may join its turn." */
  publishLeft(digest: string): Promise<void>;
  /** Listens to every such hint from when it resolves. */
  onLeft(listener: (digest: string) => void): Promise<StopListening>;
  /** "This process lives." */
  publishAlive(name: string): Promise<void>;
  /** Listens to every such hint from when it resolves. */
  onAlive(listener: (name: string) => void): Promise<StopListening>;
  close(): Promise<void>;
}

/** Injects the `SignalBus` of the back end. */
export const SIGNAL_BUS = Symbol('SignalBus');

/** The embedded bus: every listener is in this process. */
export class MemorySignalBus implements SignalBus {
  readonly workerId = null;
  readonly #cancel = new Set<(turnId: string) => void>();
  readonly #readerCheck = new Set<() => void>();
  readonly #left = new Set<(digest: string) => void>();

  async publishCancel(turnId: string): Promise<void> {
    for (const listener of this.#cancel) listener(turnId);
  }

  async onCancel(listener: (turnId: string) => void): Promise<StopListening> {
    this.#cancel.add(listener);
    return () => this.#cancel.delete(listener);
  }

  async publishReaderCheck(): Promise<void> {
    for (const listener of this.#readerCheck) listener();
  }

  async onReaderCheck(listener: () => void): Promise<StopListening> {
    this.#readerCheck.add(listener);
    return () => this.#readerCheck.delete(listener);
  }

  async publishTurn(): Promise<void> {
    // Nobody has a name that a turn could prefer.
  }

  async onTurn(): Promise<StopListening> {
    return () => undefined;
  }

  async publishLeft(digest: string): Promise<void> {
    for (const listener of this.#left) listener(digest);
  }

  async onLeft(listener: (digest: string) => void): Promise<StopListening> {
    this.#left.add(listener);
    return () => this.#left.delete(listener);
  }

  async publishAlive(): Promise<void> {
    // There is no other process.
  }

  async onAlive(): Promise<StopListening> {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#cancel.clear();
    this.#readerCheck.clear();
    this.#left.clear();
  }
}

export interface RedisSignalBusOptions {
  redis: RedisClient;
  subscriber: RedisSubscriber;
  /** First part of the channels. */
  prefix: string;
}

/** The distributed bus: a channel for each kind of hint, and one for each worker. */
export class RedisSignalBus implements SignalBus {
  readonly workerId = newId('worker');
  readonly #cancel: HintChannel;
  readonly #readerCheck: HintChannel;
  readonly #turn: HintChannel;
  readonly #left: HintChannel;
  readonly #alive: HintChannel;

  constructor(private readonly options: RedisSignalBusOptions) {
    this.#cancel = new HintChannel(options, 'cancel');
    this.#readerCheck = new HintChannel(options, 'reader-check');
    this.#turn = new HintChannel(options, turnChannel(this.workerId));
    this.#left = new HintChannel(options, 'left');
    this.#alive = new HintChannel(options, 'alive');
  }

  publishCancel(turnId: string): Promise<void> {
    return this.#cancel.publish(turnId);
  }

  onCancel(listener: (turnId: string) => void): Promise<StopListening> {
    return this.#cancel.listen(listener);
  }

  publishReaderCheck(): Promise<void> {
    return this.#readerCheck.publish('');
  }

  onReaderCheck(listener: () => void): Promise<StopListening> {
    return this.#readerCheck.listen(listener);
  }

  publishTurn(workerId: string): Promise<void> {
    return new HintChannel(this.options, turnChannel(workerId)).publish('');
  }

  onTurn(listener: () => void): Promise<StopListening> {
    return this.#turn.listen(listener);
  }

  publishLeft(digest: string): Promise<void> {
    return this.#left.publish(digest);
  }

  onLeft(listener: (digest: string) => void): Promise<StopListening> {
    return this.#left.listen(listener);
  }

  publishAlive(name: string): Promise<void> {
    return this.#alive.publish(name);
  }

  onAlive(listener: (name: string) => void): Promise<StopListening> {
    return this.#alive.listen(listener);
  }

  async close(): Promise<void> {
    this.#cancel.close();
    this.#readerCheck.close();
    this.#turn.close();
    this.#left.close();
    this.#alive.close();
  }
}

const turnChannel = (workerId: string): string => `turn:${workerId}`;

/** A channel for one kind of hint; a message says what the hint is about. */
class HintChannel {
  readonly #listeners = new Set<(message: string) => void>();
  readonly #name: string;
  #unsubscribe: Promise<StopListening> | undefined;

  constructor(
    private readonly options: RedisSignalBusOptions,
    kind: string,
  ) {
    this.#name = `${options.prefix}:${kind}`;
  }

  async publish(message: string): Promise<void> {
    const { redis } = this.options;
    // A hint that comes late is dropped: the database has its cause.
    if (redis.status === 'ready') await redis.publish(this.#name, message);
  }

  async listen(listener: (message: string) => void): Promise<StopListening> {
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.options.subscriber.subscribe(this.#name, {
      onMessage: (message) => {
        for (const notify of this.#listeners) notify(message);
      },
      onMissed: () => undefined,
    });
    await this.#unsubscribe;
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#listeners.clear();
    // The unsubscription is not awaited: a server that is away does not answer, and its connection
    // ends next.
    this.#unsubscribe?.then(
      (unsubscribe) => unsubscribe(),
      () => undefined,
    );
  }
}
