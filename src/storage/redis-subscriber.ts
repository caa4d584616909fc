import type { Redis } from 'ioredis';
import { isConnectionClosed } from './redis-connection.js';

export interface ChannelListener {
  onMessage(message: string): void;
  /** Messages may have been missed. */
  onMissed(): void;
}

/** One connection for everything a process listens to. Tells its listeners when it was away. */
export class RedisSubscriber {
  readonly #channels = new Map<string, Set<ChannelListener>>();

  constructor(private readonly redis: Redis) {
    redis.on('message', (channel: string, message: string) => {
      for (const listener of this.#channels.get(channel) ?? []) listener.onMessage(message);
    });
    // One that ends meanwhile is made again, and this with it.
    redis.on('ready', () => void this.#resubscribe().catch(onConnectionEnd));
  }

  /**
   * Listens from now on; without the server, from when it is back, and says `onMissed` then.
   *
   * @returns a function that ends it.
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<() => void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    const isFirst = listeners.size === 0;
    this.#channels.set(channel, listeners.add(listener));
    // What is not there now is subscribed to with all others when it is back.
    if (isFirst && this.redis.status === 'ready') await this.redis.subscribe(channel);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      // On a connection that ends, nothing is subscribed to any more.
      this.redis.unsubscribe(channel).catch(onConnectionEnd);
    };
  }

  async #resubscribe(): Promise<void> {
    const channels = [...this.#channels.keys()];
    if (channels.length > 0) await this.redis.subscribe(...channels);
    for (const channel of channels) {
      for (const listener of this.#channels.get(channel) ?? []) listener.onMissed();
    }
  }
}

/** All that these commands can fail for. @throws what it is not. */
function onConnectionEnd(error: Error): void {
  if (!isConnectionClosed(error)) throw error;
}
