import type { Redis } from 'ioredis';
import type { RedisSubscriber } from '../storage/redis-subscriber.js';
import type { SignalBus } from './signal-bus.js';

export interface RedisSignalBusOptions {
  redis: Redis;
  subscriber: RedisSubscriber;
  /** First part of the channel. */
  prefix: string;
}

/** The distributed bus: one channel, whose message is the turn's id. */
export class RedisSignalBus implements SignalBus {
  readonly #listeners = new Set<(turnId: string) => void>();
  readonly #channel: string;
  #unsubscribe: Promise<() => void> | undefined;

  constructor(private readonly options: RedisSignalBusOptions) {
    this.#channel = `${options.prefix}:cancel`;
  }

  async publishCancel(turnId: string): Promise<void> {
    const { redis } = this.options;
    // A hint that comes late is no hint: the database has what it says.
    if (redis.status === 'ready') await redis.publish(this.#channel, turnId);
  }

  async onCancel(listener: (turnId: string) => void): Promise<() => void> {
    this.#listeners.add(listener);
    this.#unsubscribe ??= this.options.subscriber.subscribe(this.#channel, {
      onMessage: (turnId) => {
        for (const hear of this.#listeners) hear(turnId);
      },
      onMissed: () => undefined,
    });
    await this.#unsubscribe;
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    // Not waited for: a server that is away says nothing, and its connection ends next.
    this.#unsubscribe?.then(
      (unsubscribe) => unsubscribe(),
      () => undefined,
    );
  }
}
