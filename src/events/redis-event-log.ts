import { Batcher } from '../platform/async/batcher.js';
import {
  defineScript,
  isConnectionClosed,
  tryRedisWrite,
  type RedisScript,
  type RedisClient,
  type ChannelListener,
  type RedisSubscriber,
} from '../storage/redis/redis-connection.js';
import { compareCursors, logStart, type EventCursor } from './cursor.js';
import { FencedError, GapError, type EventLog, type LogListener } from './event-log.js';
import type { TurnEvent } from './turn-event.js';

/** Turns whose logs are deleted at a time. */
const REMOVED_AT_ONCE = 100;

export interface RedisEventLogOptions {
  redis: RedisClient;
  subscriber: RedisSubscriber;
  /** First part of every key. */
  prefix: string;
  /** TTL of a turn's log from the begin of an attempt, in ms; longer than any attempt. */
  ttlMs: number;
  /** TTL of a turn's log from the turn's end, in ms. */
  keptMs: number;
  /** Most bytes of one turn's log. Above it the oldest batches are deleted; the archive has them. */
  maxBytes: number;
}

/** `0`: it is in the log; else why not, with the fence or the log's end. */
type Answer = 0 | [refusal: 'fenced' | 'gap', ...details: number[]];

/** A batch of events of one turn. */
interface Append {
  turnId: string;
  attempt: number;
  /** See `appendScript`. */
  place: string;
  batch: string;
}

/**
 * The distributed log: a Redis Stream a turn, one entry a batch, its id `<attempt>-<seq>` of the
 * batch's last event. An append is fence, sequence, entry, TTL and publication in a script, which does
 * all appends that wait. On a cluster each append is a call: only the keys of one turn are at one node.
 */
export class RedisEventLog implements EventLog {
  readonly #begin: RedisScript;
  readonly #append: RedisScript;
  readonly #parser = new BatchParser();
  readonly #appends = new Batcher<Append, void>(
    (appends) => this.#appendTogether(appends),
    isConnectionClosed,
  );

  constructor(private readonly options: RedisEventLogOptions) {
    this.#begin = defineScript(options.redis, 'turnpikeBegin', { lua: beginScript, keys: 2 });
    this.#append = defineScript(options.redis, 'turnpikeAppend', { lua: appendScript });
  }

  async begin(turnId: string, attempt: number): Promise<EventCursor> {
    const keys = this.#keys(turnId);
    const last = await this.#begin(keys.log, keys.head, attempt, this.options.ttlMs);
    return toCursor(last);
  }

  append(
    turnId: string,
    attempt: number,
    events: readonly TurnEvent[],
    before = logStart,
  ): Promise<void> {
    const first = events[0];
    const last = events.at(-1);
    if (first === undefined || last === undefined) return Promise.resolve();
    const isEnd = last.type === 'turn.ended' ? 1 : 0;
    const place = `${attempt} ${first.attempt} ${first.seq} ${last.seq} ${before.attempt} ${before.seq} ${isEnd}`;
    const append = { turnId, attempt, place, batch: JSON.stringify(events) };
    return this.options.redis.isCluster ? this.#appendAlone(append) : this.#appends.add(append);
  }

  async #appendAlone(append: Append): Promise<void> {
    const [refusal] = await this.#appendTogether([append]);
    if (refusal !== undefined) throw refusal;
  }

  async #appendTogether(
    appends: readonly Append[],
  ): Promise<readonly (FencedError | GapError | undefined)[]> {
    const { ttlMs, keptMs, maxBytes } = this.options;
    const scriptArgs: (string | number)[] = [2 * appends.length];
    for (const { turnId } of appends) {
      const { log, head } = this.#keys(turnId);
      scriptArgs.push(log, head);
    }
    scriptArgs.push(ttlMs, keptMs, maxBytes);
    for (const { place, batch } of appends) scriptArgs.push(place, batch);
    const answers = (await this.#append(...scriptArgs)) as Answer[];
    return appends.map((append, index) => refusalOf(append, answers[index] ?? 0));
  }

  /** @returns no events while Redis is away: `onMissed` is called when it is back. */
  async read(turnId: string, after: EventCursor = logStart): Promise<readonly TurnEvent[]> {
    const { redis } = this.options;
    if (redis.status !== 'ready') return [];
    const from = after === logStart ? '-' : `(${after.attempt}-${after.seq}`;
    const entries = await redis.xrange(this.#keys(turnId).log, from, '+');
    const events = entries.flatMap(([, [, batch = '[]']]) => parseBatch(batch));
    return events.filter((event) => compareCursors(event, after) > 0);
  }

  subscribe(turnId: string, listener: LogListener): Promise<() => void> {
    return this.options.subscriber.subscribe(
      this.#keys(turnId).channel,
      new BatchListener(this.#parser, listener),
    );
  }

  async remove(turnIds: readonly string[]): Promise<void> {
    const { redis } = this.options;
    for (let at = 0; at < turnIds.length; at += REMOVED_AT_ONCE) {
      const some = turnIds.slice(at, at + REMOVED_AT_ONCE);
      // A command each: the keys of two turns may be on two servers of a cluster.
      await Promise.all(
        some.map((turnId) => redis.unlink(this.#keys(turnId).log, this.#keys(turnId).head)),
      );
    }
  }

  ping(): Promise<void> {
    const { redis, prefix } = this.options;
    return tryRedisWrite(redis, `${prefix}:{write-check}:log`);
  }

  async close(): Promise<void> {
    // The connections are closed by their owner.
  }

  /** Keys of a turn share its hash tag: they are in one slot of a cluster. */
  #keys(turnId: string): { log: string; head: string; channel: string } {
    const base = `${this.options.prefix}:{${turnId}}`;
    return { log: `${base}:log`, head: `${base}:head`, channel: base };
  }
}

/** Parses a batch once for all of a turn's readers, to whom it goes one after the other. */
class BatchParser {
  #batch = '';
  #events: readonly TurnEvent[] = [];

  parse(batch: string): readonly TurnEvent[] {
    if (this.#batch !== batch) {
      this.#events = parseBatch(batch);
      this.#batch = batch;
    }
    return this.#events;
  }
}

/** A listener to a turn's channel. */
class BatchListener implements ChannelListener {
  constructor(
    private readonly parser: BatchParser,
    private readonly listener: LogListener,
  ) {}

  onMessage(batch: string): void {
    this.listener.onEvents(this.parser.parse(batch));
  }

  onMissed(): void {
    this.listener.onMissed();
  }
}

function refusalOf(
  { turnId, attempt }: Append,
  answer: Answer,
): FencedError | GapError | undefined {
  if (answer === 0) return undefined;
  const [refusal, ...details] = answer;
  return refusal === 'fenced'
    ? new FencedError(turnId, attempt, details[0])
    : new GapError(turnId, toCursor(details));
}

function parseBatch(batch: string): TurnEvent[] {
  // Batches are written by the append script alone.
  return JSON.parse(batch) as TurnEvent[];
}

function toCursor(answer: unknown): EventCursor {
  const [attempt = 0, seq = 0] = answer as number[];
  return { attempt, seq };
}

/**
 * The head of a turn's log is a hash: `fence` (the attempt that may append), `attempt` and `seq` of
 * the last event, `bytes` of the entries. The rule of `followsOn` is in the append script as well.
 */

/** Keys: log, head. Arguments: attempt, TTL in ms. Answers the cursor of the log's end. */
const beginScript = `
local head = redis.call('HMGET', KEYS[2], 'fence', 'attempt', 'seq')
local fence = math.max(tonumber(head[1]) or 0, tonumber(ARGV[1]))
redis.call('HSET', KEYS[2], 'fence', fence)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {tonumber(head[2]) or 0, tonumber(head[3]) or 0}
`;

/**
 * Appends batches of several turns. Keys: log and head of each. Arguments: TTL in ms, from an attempt's
 * first batch and from the turn's last; most bytes; of each, its place (fence; attempt, first seq and last
 * seq of the batch; attempt and seq of the event that must not be missing before an attempt's first; 1 for
 * the turn's last batch, else 0) and its JSON. The channel is the name that log
 * and head begin with.
 *
 * Answers for each: `0` when it was appended, now or before; else `fenced` or `gap` with details.
 */
const appendScript = `
local function append(log, headKey, place, batch)
  local head = redis.call('HMGET', headKey, 'fence', 'attempt', 'seq', 'bytes')
  local fence, attempt, first, last, before, beforeSeq, isEnd =
    string.match(place, '(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d)')
  fence, attempt, first, last = tonumber(fence), tonumber(attempt), tonumber(first), tonumber(last)
  before, beforeSeq = tonumber(before), tonumber(beforeSeq)
  local current = tonumber(head[1]) or 0
  if fence < current then return {'fenced', current} end

  local endAttempt, endSeq = tonumber(head[2]) or 0, tonumber(head[3]) or 0
  if attempt < endAttempt or (attempt == endAttempt and last <= endSeq) then return 0 end
  local expected = attempt > endAttempt and 1 or endSeq + 1
  local isBehind = endAttempt < before or (endAttempt == before and endSeq < beforeSeq)
  if first ~= expected or (attempt > endAttempt and isBehind) then
    return {'gap', endAttempt, endSeq}
  end

  local bytes = (tonumber(head[4]) or 0) + #batch
  redis.call('XADD', log, attempt .. '-' .. last, 'events', batch)
  while bytes > tonumber(ARGV[3]) and redis.call('XLEN', log) > 1 do
    local oldest = redis.call('XRANGE', log, '-', '+', 'COUNT', 1)[1]
    redis.call('XDEL', log, oldest[1])
    bytes = bytes - #oldest[2][2]
  end
  redis.call('HSET', headKey, 'fence', fence, 'attempt', attempt, 'seq', last, 'bytes', bytes)
  if isEnd == '1' or attempt > endAttempt or endSeq == 0 then
    local ttl = isEnd == '1' and ARGV[2] or ARGV[1]
    redis.call('PEXPIRE', log, ttl)
    redis.call('PEXPIRE', headKey, ttl)
  end
  redis.call('PUBLISH', string.sub(log, 1, -5), batch)
  return 0
end

local answers = {}
for i = 1, #KEYS / 2 do
  answers[i] = append(KEYS[2 * i - 1], KEYS[2 * i], ARGV[2 * i + 2], ARGV[2 * i + 3])
end
return answers
`;
