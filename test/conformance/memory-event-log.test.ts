import { describe, expect, it } from '@jest/globals';
import { MemoryEventLog } from '../../src/events/memory-event-log.js';
import { ManualClock } from '../support/manual-clock.js';
import { endEvent, eventLogConformance, KEPT_MS } from './event-log.js';

eventLogConformance('MemoryEventLog', async () => {
  const clock = new ManualClock();
  return { log: new MemoryEventLog(clock, KEPT_MS), pass: (ms) => clock.advance(ms) };
});

describe('MemoryEventLog', () => {
  const event = endEvent(1);

  const listener = () => ({ onEvents: () => undefined, onMissed: () => undefined });

  it('is left with no entry by a turn that ended, and by a reader that came later', async () => {
    const clock = new ManualClock();
    const log = new MemoryEventLog(clock, KEPT_MS);
    await log.begin('a', 1);
    await log.append('a', 1, [event]);
    await clock.advance(KEPT_MS);
    expect([log.size, clock.pending]).toEqual([0, 0]);
    const stop = await log.subscribe('a', listener());
    await log.read('b');
    expect(log.size).toBe(1);
    stop();
    expect(log.size).toBe(0);
  });

  it('is left with no entry when the last follower of an ended turn goes', async () => {
    const clock = new ManualClock();
    const log = new MemoryEventLog(clock, KEPT_MS);
    await log.append('a', 1, [event]);
    const stops = [await log.subscribe('a', listener()), await log.subscribe('a', listener())];
    await clock.advance(KEPT_MS);
    for (const stop of stops) {
      expect(log.size).toBe(1);
      stop();
    }
    expect(log.size).toBe(0);
  });

  it('closes with no timer left', async () => {
    const clock = new ManualClock();
    const log = new MemoryEventLog(clock, KEPT_MS);
    await log.append('a', 1, [event]);
    await log.close();
    expect([log.size, clock.pending]).toEqual([0, 0]);
  });
});
