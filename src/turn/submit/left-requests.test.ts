import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MemorySignalBus } from '../queue/signal-bus.js';
import { LeftRequests } from './left-requests.js';

describe('requests whose clients left', () => {
  let clock: ManualClock;
  let bus: MemorySignalBus;
  let left: LeftRequests;
  beforeEach(async () => {
    clock = new ManualClock();
    bus = new MemorySignalBus();
    left = new LeftRequests(bus, clock);
    await left.start();
  });

  it('are known for two minutes', async () => {
    left.add('a');
    await clock.advance(60_000);
    left.add('b');
    expect([left.has('a'), left.has('b'), left.has('c')]).toEqual([true, true, false]);
    await clock.advance(60_001);
    expect([left.has('a'), left.has('b')]).toEqual([false, true]);
  });

  it('are known for as long after the last one that left', async () => {
    left.add('a');
    await clock.advance(60_000);
    left.add('a');
    await clock.advance(60_001);
    expect(left.has('a')).toBe(true);
  });

  it('are known to the other processes, until these stop', async () => {
    const other = new LeftRequests(bus, clock);
    await other.start();
    await left.tell('a');
    expect(other.has('a')).toBe(true);
    other.stop();
    await left.tell('b');
    expect([left.has('b'), other.has('b')]).toEqual([true, false]);
  });

  it('are forgotten where there are too many, the oldest first', () => {
    for (let one = 0; one <= 10_000; one += 1) left.add(String(one));
    expect([left.has('0'), left.has('1'), left.has('10000')]).toEqual([false, true, true]);
  });
});
