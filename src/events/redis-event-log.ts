import type { Redis } from 'ioredis';
import { defineScript, type RedisScript } from '../storage/redis-connection.js';
import type { RedisSubscriber } from '../storage/redis-subscriber.js';
import { compareCursors, logStart, type Position } from './cursor.js';
import { FencedError, GapError, type EventLog, type LogListener } from './event-log.js';
import { appendScript, beginScript } from './redis-log-scripts.js';
import type { TurnEvent } from './turn-event.js';

export interface RedisEventLogOptions {
  redis: Redis;
  subscriber: RedisSubscriber;
  /** First part of every key. */
  prefix: string;
  /** How long a turn's log lives without an append, in ms; longer than any turn. */
  ttlMs: number;
  /** Most bytes of one turn's log. Its oldest batches go first; the archive has them. */
  maxBytes: number;
}

/**
 * The distributed log: a Redis Stream a turn, one entry a batch, its id `<attempt>-<seq>` of the
 * batch's last event. An append is one script: fence, sequence, entry, time to live, publication.
 */
export class RedisEventLog implements EventLog {
  readonly #begin: RedisScript;
  readonly #append: RedisScript;

  constructor(private readonly options: RedisEventLogOptions) {
    this.#begin = defineScript(options.redis, 'turnpikeBegin', { lua: beginScript, keys: 2 });
    this.#append = defineScript(options.redis, 'turnpikeAppend', { lua: appendScript, keys: 2 });
  }

  async begin(turnId: string, attempt: number): Promise<Position> {
    const keys = this.#keys(turnId);
    const last = await this.#begin(keys.log, keys.head, attempt, this.options.ttlMs);
    return readPosition(last);
  }

  async append(turnId: string, attempt: number, events: readonly TurnEvent[]): Promise<void> {
    const first = events[0];
    const last = events.at(-1);
    if (first === undefined || last === undefined) return;
    const { ttlMs, maxBytes } = this.options;
    const keys = this.#keys(turnId);
    const answer = await this.#append(
      keys.log,
      keys.head,
      attempt,
      first.attempt,
      first.seq,
      last.seq,
      JSON.stringify(events),
      ttlMs,
      keys.channel,
      maxBytes,
    );
    const [result, ...details] = answer as [string, ...number[]];
    if (result === 'fenced') throw new FencedError(turnId, attempt, details[0]);
    if (result === 'gap') throw new GapError(turnId, readPosition(details));
  }

  /** Empty too while Redis is away: followers are told when it is back. */
  async read(turnId: string, after: Position = logStart): Promise<readonly TurnEvent[]> {
    const { redis } = this.options;
    if (redis.status !== 'ready') return [];
    const from = after === logStart ? '-' : `(${after.attempt}-${after.seq}`;
    const entries = await redis.xrange(this.#keys(turnId).log, from, '+');
    const events = entries.flatMap(([, [, batch = '[]']]) => parseBatch(batch));
    return events.filter((event) => compareCursors(event, after) > 0);
  }

  subscribe(turnId: string, listener: LogListener): Promise<() => void> {
    return this.options.subscriber.subscribe(this.#keys(turnId).channel, {
      onMessage: (batch) => listener.onEvents(parseBatch(batch)),
      onMissed: () => listener.onMissed(),
    });
  }

  /** Later, while Redis is away: every log has its time to live. */
  async expire(turnId: string, afterMs: number): Promise<void> {
    const { redis } = this.options;
    if (redis.status !== 'ready') return;
    const { log, head } = this.#keys(turnId);
    await Promise.all([redis.pexpire(log, afterMs), redis.pexpire(head, afterMs)]);
  }

  async ping(): Promise<void> {
    if (this.options.redis.status !== 'ready') throw new Error('Redis cannot be reached');
    await this.options.redis.ping();
  }

  async close(): Promise<void> {
    // Its connections belong to who made them.
  }

  /** One hash tag a turn: all its keys are in one slot of a cluster. */
  #keys(turnId: string): { log: string; head: string; channel: string } {
    const base = `${this.options.prefix}:{${turnId}}`;
    return { log: `${base}:log`, head: `${base}:head`, channel: base };
  }
}

/** What only our own script writes. */
function parseBatch(batch: string): TurnEvent[] {
  return JSON.parse(batch) as TurnEvent[];
}

function readPosition(answer: unknown): Position {
  const [attempt = 0, seq = 0] = answer as number[];
  return { attempt, seq };
}
