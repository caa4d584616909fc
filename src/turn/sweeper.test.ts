import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { silentLogger } from '../platform/logger.js';
import { MemoryTurnQueue } from './memory-turn-queue.js';
import { Sweeper } from './sweeper.js';

describe('Sweeper', () => {
  let clock: ManualClock;
  let taken: string[];
  let queue: MemoryTurnQueue;
  /** What nobody works on, sweep by sweep; nothing once it is used up. */
  let found: (() => Promise<string[]>)[];
  let sweeper: Sweeper;
  beforeEach(() => {
    clock = new ManualClock();
    taken = [];
    queue = new MemoryTurnQueue({ concurrency: 1, onError: () => undefined });
    found = [];
    const claims = { unclaimed: async () => (await found.shift()?.()) ?? [] };
    sweeper = new Sweeper({ claims, queue, clock, logger: silentLogger, everyMs: 30_000 });
  });

  const consume = (): void => queue.consume(async (turnId) => void taken.push(turnId));

  it('enqueues what an earlier process left before anything else, oldest first', async () => {
    consume();
    found = [async () => ['a', 'b']];
    await sweeper.start();
    await clock.advance(0);
    expect(taken).toEqual(['a', 'b']);
  });

  it('looks again and again, and enqueues nothing twice that waits', async () => {
    found = [async () => ['a'], async () => ['a', 'b'], async () => ['a', 'b', 'c']];
    await sweeper.start();
    await clock.advance(30_000);
    expect(await queue.depth()).toBe(2);
    await clock.advance(30_000);
    expect(await queue.depth()).toBe(3);
    consume();
    await clock.advance(0);
    expect(taken).toEqual(['a', 'b', 'c']);
  });

  it('goes on after a sweep that failed', async () => {
    consume();
    const fail = async (): Promise<string[]> => {
      throw new Error('no database');
    };
    found = [async () => [], fail, async () => ['a']];
    await sweeper.start();
    await clock.advance(30_000);
    await clock.advance(30_000);
    expect(taken).toEqual(['a']);
  });

  it('fails to start when the database does not answer', async () => {
    found = [() => Promise.reject(new Error('no database'))];
    await expect(sweeper.start()).rejects.toThrow('no database');
    expect(clock.pending).toBe(0);
  });

  it('leaves no timer once it is stopped, also in the middle of a sweep', async () => {
    await sweeper.start();
    expect(clock.pending).toBe(1);
    sweeper.stop();
    expect(clock.pending).toBe(0);

    let answer = (_turnIds: string[]): void => undefined;
    const slow = new Promise<string[]>((resolve) => (answer = resolve));
    const claims = { unclaimed: () => slow };
    const second = new Sweeper({ claims, queue, clock, logger: silentLogger, everyMs: 30_000 });
    const starting = second.start();
    second.stop();
    answer([]);
    await starting;
    expect(clock.pending).toBe(0);
  });
});
