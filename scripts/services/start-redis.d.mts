import type { Service } from './start-services.mjs';

/** A server on a free port, which keeps nothing unless `settings`, those of redis.conf, say so. */
export function defineRedis(options: {
  folder: string;
  name?: string;
  port?: number;
  settings?: Record<string, string>;
}): Promise<Service>;

/** A sentinel that alone decides when a master is replaced, after a second without an answer. */
export function defineSentinel(options: {
  folder: string;
  master: string;
  masterPort: number;
}): Promise<Service>;
