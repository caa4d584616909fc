import { expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { logStart } from './cursor.js';
import { LogAppender } from './log-appender.js';
import { MemoryEventLog } from './memory-event-log.js';
import type { TurnEvent } from './turn-event.js';

const event = (seq: number): TurnEvent => ({
  type: 'text.delta',
  step: 1,
  text: `${seq}`,
  attempt: 1,
  seq,
  at: '2026-01-01T00:00:00.000Z',
});

it('restores events that are archived while the archive is loaded', async () => {
  const log = new MemoryEventLog(new ManualClock());
  const turnId = 'turn_1';
  // The log lost its events: it expects the first, and is given the third.
  let unarchived = [event(2)];
  const feed = new LogAppender({
    log,
    turnId,
    attempt: 1,
    before: logStart,
    clock: new ManualClock(),
    source: { next: () => [], unarchived: () => unarchived },
    loadArchived: async () => {
      const read = [event(1)];
      unarchived = [];
      return read;
    },
    observer: {
      onFailure: (error) => expect(error).toBeUndefined(),
      onLogError: (error) => expect(error).toBeUndefined(),
    },
  });
  feed.push([event(3)]);
  await feed.flush(5_000);
  expect(await log.read(turnId)).toEqual([event(1), event(2), event(3)]);
});

it('gives up what a log does not take in time, and tries no more', async () => {
  const clock = new ManualClock();
  let tries = 0;
  const log = new MemoryEventLog(clock);
  log.append = () => Promise.reject(new Error(`away ${(tries += 1)}`));
  const feed = new LogAppender({
    log,
    turnId: 'turn_1',
    attempt: 1,
    before: logStart,
    clock,
    source: { next: () => [], unarchived: () => [] },
    loadArchived: async () => [],
    observer: {
      onFailure: (error) => expect(error).toBeUndefined(),
      onLogError: () => undefined,
    },
  });
  feed.push([event(1)]);
  await clock.advance(0);
  let isDone = false;
  const flushed = feed.flush(1_000).then(() => (isDone = true));
  await clock.advance(999);
  expect(isDone).toBe(false);
  await clock.advance(1);
  await flushed;
  const triesBefore = tries;
  await clock.advance(60_000);
  expect([triesBefore > 1, tries - triesBefore, clock.pending]).toEqual([true, 0, 0]);
});
