import type { Writable } from 'node:stream';
import { Redis } from 'ioredis';
import { compact } from '../platform/compact.js';
import { retryDelay, type RetryDelays } from '../platform/async/retry.js';
import { settlesWithin } from '../platform/async/settles-within.js';

export interface RedisOptions {
  /** `redis://[:password@]host:port[/database]`, `rediss://` for TLS. */
  url: string;
  /** Shown by `CLIENT LIST`. */
  name: string;
  /** Called when the connection broke or was refused; reconnecting never ends. */
  onError(error: Error): void;
}

/** Injects the process's connection to Redis for commands. */
export const REDIS = Symbol('Redis');

/** Timeout of the first connection, in ms. */
const CONNECT_TIMEOUT_MS = 10_000;

/** Delays before a reconnection. */
const retryDelays: RetryDelays = { firstMs: 100, maxMs: 1_000 };

/** Timeout of an orderly close, in ms. */
const QUIT_WAIT_MS = 1_000;

/**
 * Connects. A broken connection is made again: commands wait for it, and commands without an answer
 * are sent again, which all of ours allow.
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
  try {
    const answer = redis.connect().then(() => redis.ping());
    if (await settlesWithin(CONNECT_TIMEOUT_MS, answer)) return redis;
    throw new Error(`no answer in ${CONNECT_TIMEOUT_MS} ms`);
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

/** Whether a command failed because its connection was closed, by either side. */
export function isConnectionClosed(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Connection is closed');
}

export type RedisScript = (...keysAndArguments: (string | number)[]) => Promise<unknown>;

/**
 * Makes a Lua script callable; its text is sent only to a server that lacks it.
 *
 * @param keys number of its keys; absent: the first argument of each call is their number.
 */
export function defineScript(
  redis: Redis,
  name: string,
  { lua, keys }: { lua: string; keys?: number },
): RedisScript {
  redis.defineCommand(name, { lua, ...compact({ numberOfKeys: keys }) });
  const command = Reflect.get(redis, name) as RedisScript;
  return (...given) => Reflect.apply(command, redis, given);
}

/**
 * Sends all writes of a tick of the event loop in one piece. A process with hundreds of turns
 * writes dozens of commands a tick, and a system call costs more than a command. (The client's own
 * pipelining loses a script whenever the server does.)
 */
function gatherWrites(stream: Writable): void {
  const write = stream.write.bind(stream);
  let isGathering = false;
  const gathered = (...given: unknown[]): unknown => {
    if (!isGathering) {
      isGathering = true;
      stream.cork();
      setImmediate(() => {
        isGathering = false;
        stream.uncork();
      });
    }
    return Reflect.apply(write, stream, given);
  };
  stream.write = gathered as typeof stream.write;
}
