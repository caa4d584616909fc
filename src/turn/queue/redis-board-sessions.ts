import { createHash, randomBytes } from 'node:crypto';
import type { RedisClient } from '../../storage/redis/redis-connection.js';
import { BOARD_SESSION_MS, type BoardSessions } from './board-sessions.js';

/**
 * Board sessions in Redis, beside the queue. Keys are hashes of the tokens: access to Redis opens
 * no session.
 */
export class RedisBoardSessions implements BoardSessions {
  /** @param prefix first part of every key. */
  constructor(
    private readonly redis: RedisClient,
    private readonly prefix: string,
  ) {}

  async open(keyId: string): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.redis.set(this.#keyOf(token), keyId, 'PX', BOARD_SESSION_MS);
    return token;
  }

  async find(token: string): Promise<string | undefined> {
    return (await this.redis.get(this.#keyOf(token))) ?? undefined;
  }

  #keyOf(token: string): string {
    return `${this.prefix}:board:${createHash('sha256').update(token).digest('hex')}`;
  }
}
