import type { Redis } from 'ioredis';
import { isConnectionClosed } from './redis-connection.js';

export interface ChannelListener {
  onMessage(message: string): void;
  /** Called when messages may have been missed. */
  onMissed(): void;
}

/** Subscribes to all channels of a process on one connection, and reports its outages. */
export class RedisSubscriber {
  readonly #channels = new Map<string, Set<ChannelListener>>();

  constructor(private readonly redis: Redis) {
    redis.on('message', (channel: string, message: string) => {
      for (const listener of this.#channels.get(channel) ?? []) listener.onMessage(message);
    });
    // A connection that closes meanwhile reconnects, and subscribes again.
    redis.on('ready', () => void this.#resubscribe().catch(onConnectionEnd));
  }

  /**
   * Subscribes to a channel. A subscription during an outage begins at the server's return, with a
   * call of `onMissed`.
   *
   * @returns a function that unsubscribes.
   */
  async subscribe(channel: string, listener: ChannelListener): Promise<() => void> {
    const listeners = this.#channels.get(channel) ?? new Set();
    const isFirst = listeners.size === 0;
    this.#channels.set(channel, listeners.add(listener));
    // A closed connection subscribes to every channel when it reconnects.
    if (isFirst && this.redis.status === 'ready') await this.redis.subscribe(channel);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      // A connection that closes has no subscriptions left.
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

/**
 * Ignores a closed connection, which these commands need no answer from. @throws any other error.
 */
function onConnectionEnd(error: Error): void {
  if (!isConnectionClosed(error)) throw error;
}
