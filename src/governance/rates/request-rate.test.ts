import { Redis } from 'ioredis';
import { describe, expect, it } from '@jest/globals';
import { MemoryRequestCounter, RedisRequestCounter } from './request-rate.js';

describe('MemoryRequestCounter', () => {
  it('counts each principal for itself', async () => {
    const counter = new MemoryRequestCounter();
    await counter.count('a');
    expect(await counter.count('a')).toEqual({ requests: 2, restMs: expect.any(Number) });
    expect(await counter.count('b')).toMatchObject({ requests: 1 });
  });
});

describe('RedisRequestCounter', () => {
  it('counts alone, and fails no request, while Redis is away', async () => {
    const redis = new Redis({ host: '127.0.0.1', port: 1, lazyConnect: true });
    const counter = new RedisRequestCounter(redis, 'test');
    await counter.count('a');
    const { requests, restMs } = await counter.count('a');
    expect(requests).toBe(2);
    expect(restMs).toBeGreaterThan(0);
    redis.disconnect();
  });
});
