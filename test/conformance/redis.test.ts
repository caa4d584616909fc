import { describe, expect, it } from '@jest/globals';
import { GapError } from '../../src/events/event-log.js';
import type { TurnEvent } from '../../src/events/turn-event.js';
import { expectSoon } from '../support/expect-soon.js';
import { openBullQueue } from '../support/turn/open-bull-queue.js';
import { testRedis } from '../support/processes/test-services.js';
import { newPrefix, openLog, redisConformance, useRedis } from './redis-parts.js';

const parts = useRedis(testRedis);
redisConformance('', parts);

describe('RedisEventLog', () => {
  const delta = (seq: number, text = 'word'): TurnEvent => ({
    type: 'text.delta',
    step: 1,
    text,
    attempt: 1,
    seq,
    at: '',
  });

  it('keeps the newest events of a turn, and no more bytes than it may', async () => {
    const log = openLog(parts, { maxBytes: 10_000 });
    await log.begin('a', 1);
    const text = 'x'.repeat(1_000);
    for (let seq = 1; seq <= 50; seq += 1) await log.append('a', 1, [delta(seq, text)]);
    const kept = await log.read('a');
    expect(JSON.stringify(kept).length).toBeLessThan(10_000);
    expect(kept.at(-1)?.seq).toBe(50);
  });

  it.each([
    ['an attempt that begins', 1],
    ['what comes before any attempt', 0],
  ])('gives every key a time to live, in one slot a turn, from %s on', async (_what, attempt) => {
    const prefix = newPrefix();
    const log = openLog(parts, { maxBytes: 10_000, prefix });
    await log.append('a', attempt, [{ ...delta(1), attempt }]);
    await log.append('a', attempt, [{ ...delta(2), attempt }]);
    const keys = await parts.redis.keys(`${prefix}*`);
    expect(keys.sort()).toEqual([`${prefix}:{a}:head`, `${prefix}:{a}:log`]);
    for (const key of keys) expect(await parts.redis.pttl(key)).toBeGreaterThan(55_000);
  });

  it('notices that it was emptied, and can be given everything back', async () => {
    const prefix = newPrefix();
    const log = openLog(parts, { maxBytes: 10_000, prefix });
    await log.begin('a', 1);
    await log.append('a', 1, [delta(1)]);
    await parts.redis.del(`${prefix}:{a}:log`, `${prefix}:{a}:head`);
    await expect(log.append('a', 1, [delta(2)])).rejects.toThrow(GapError);
    await log.append('a', 1, [delta(1), delta(2)]);
    expect(await log.read('a')).toEqual([delta(1), delta(2)]);
  });
});

describe('a connection that breaks', () => {
  it('notifies followers that they may have missed something, and goes on', async () => {
    const log = openLog(parts);
    await log.begin('a', 1);
    let onMissed = (): void => undefined;
    const missed = new Promise<void>((resolve) => (onMissed = resolve));
    let onEvents = (_events: readonly TurnEvent[]): void => undefined;
    const received = new Promise<readonly TurnEvent[]>((resolve) => (onEvents = resolve));
    await log.subscribe('a', { onEvents, onMissed });
    parts.listening.disconnect(true);
    await missed;
    const event: TurnEvent = { type: 'step.started', step: 1, attempt: 1, seq: 1, at: '' };
    await log.append('a', 1, [event]);
    expect(await received).toEqual([event]);
  });
});

describe('BullTurnQueue', () => {
  it('adds no third token while nobody takes any', async () => {
    const queue = await openBullQueue({ redis: parts.redis, prefix: newPrefix() });
    for (let count = 0; count < 5; count += 1) await queue.wake();
    expect(await queue.depth()).toBe(2);
    await queue.close();
  });

  it('leaves nothing of a token behind but its own few keys', async () => {
    const prefix = newPrefix();
    const queue = await openBullQueue({ redis: parts.redis, prefix });
    let taken = 0;
    await queue.consume(async () => void (taken += 1));
    for (let count = 1; count <= 50; count += 1) {
      await queue.wake();
      // A token that waits for a slow worker stands for those that come meanwhile.
      await expectSoon(() => expect(taken).toBe(count));
    }
    await queue.close();
    const keys = await parts.redis.keys(`{${prefix}}*`);
    expect(keys.filter((key) => /:\d+$/.test(key))).toEqual([]);
    expect(await parts.redis.xlen(`{${prefix}}:turns:events`)).toBeLessThan(250);
  });
});
