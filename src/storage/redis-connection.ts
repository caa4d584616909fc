import { Redis } from 'ioredis';
import { retryDelay, type RetryDelays } from '../platform/retry.js';
import { settlesWithin } from '../platform/settles-within.js';
import { gatherWrites } from './gather-writes.js';

export interface RedisOptions {
  /** `redis://[:password@]host:port[/database]`, `rediss://` for TLS. */
  url: string;
  /** Shown by `CLIENT LIST`. */
  name: string;
  /** Called when the connection broke, or could not be made; it is tried again without end. */
  onError(error: Error): void;
}

/** Injects the process's connection to Redis for commands. */
export const REDIS = Symbol('Redis');

/** How long a start waits for the server, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/** The delays before a broken connection is made again. */
const retryDelays: RetryDelays = { firstMs: 100, maxMs: 1_000 };

/** How long an end waits for a server that does not answer, in ms. */
const QUIT_WAIT_MS = 1_000;

/**
 * Connects. A connection that breaks later is made again: commands wait for it, and commands without
 * an answer are sent again, which each of ours allows.
 *
 * @throws Error when the server does not answer in 10 s.
 */
export async function connectRedis({ url, name, onError }: RedisOptions): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectionName: name,
    // Commands wait without end, as BullMQ's workers require.
    maxRetriesPerRequest: null,
    retryStrategy: (tries) => retryDelay(retryDelays, tries - 1, Math.random()),
    autoResubscribe: false,
    keepAlive: 10_000,
  });
  redis.on('error', onError);
  redis.on('connect', () => gatherWrites(redis.stream));
  const silence = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const late = new Promise<never>((_resolve, reject) => {
    silence.addEventListener('abort', () =>
      reject(new Error(`no answer in ${CONNECT_TIMEOUT_MS} ms`)),
    );
  });
  try {
    await Promise.race([redis.connect().then(() => redis.ping()), late]);
    return redis;
  } catch (error) {
    redis.disconnect();
    throw error;
  }
}

/** Closes a connection: in order when the server answers, at once when it does not. */
export async function closeRedis(redis: Redis): Promise<void> {
  try {
    if (redis.status === 'ready') await settlesWithin(QUIT_WAIT_MS, redis.quit());
  } catch (error) {
    if (!isConnectionClosed(error)) throw error;
  } finally {
    redis.disconnect();
  }
}

/** Whether a command failed because its connection was closed, by us or by the server's end. */
export function isConnectionClosed(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Connection is closed');
}

export type RedisScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

/** Makes a Lua script callable; the server is sent its text only when it does not have it. */
export function defineScript(
  redis: Redis,
  name: string,
  { lua, keys }: { lua: string; keys: number },
): RedisScript {
  redis.defineCommand(name, { lua, numberOfKeys: keys });
  const command = Reflect.get(redis, name) as RedisScript;
  return (...given) => Reflect.apply(command, redis, given);
}
