import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FencedError, type EventLog } from '../../src/events/event-log.js';
import type { TurnEvent } from '../../src/events/turn-event.js';

export interface EventLogUnderTest {
  log: EventLog;
  /** Lets `ms` milliseconds pass for the log. */
  pass(ms: number): Promise<void>;
}

/** What every event log must do, whatever it stores in. */
export function eventLogConformance(name: string, open: () => Promise<EventLogUnderTest>): void {
  describe(`${name} as an event log`, () => {
    let log: EventLog;
    let pass: EventLogUnderTest['pass'];
    beforeEach(async () => {
      ({ log, pass } = await open());
    });
    afterEach(() => log.close());

    const delta = (seq: number, attempt = 1): TurnEvent => ({
      type: 'text.delta',
      step: 1,
      text: `${attempt}.${seq}`,
      attempt,
      seq,
      at: '2026-01-01T00:00:00.000Z',
    });

    it('gives back what was appended, in order', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1), delta(2)]);
      await log.append('a', 1, [delta(3)]);
      expect(await log.read('a')).toEqual([delta(1), delta(2), delta(3)]);
    });

    it('keeps turns apart, and holds nothing of one it does not know', async () => {
      await log.append('a', 0, [delta(1, 0)]);
      expect(await log.read('b')).toEqual([]);
    });

    it('refuses a fenced attempt, whole, and tells its followers nothing', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      const seen: TurnEvent[] = [];
      await log.subscribe('a', (events) => seen.push(...events));
      await log.begin('a', 2);
      await expect(log.append('a', 1, [delta(2), delta(3)])).rejects.toThrow(FencedError);
      expect(await log.read('a')).toEqual([delta(1)]);
      await log.append('a', 2, [delta(1, 2)]);
      expect(seen).toEqual([delta(1, 2)]);
    });

    it('never lowers its fence', async () => {
      await log.begin('a', 3);
      await log.begin('a', 2);
      await expect(log.append('a', 2, [delta(1, 2)])).rejects.toThrow(FencedError);
    });

    it('leaves no gap between subscribing and reading', async () => {
      await log.begin('a', 1);
      const seen: TurnEvent[] = [];
      const appends: Promise<void>[] = [];
      for (let seq = 1; seq <= 20; seq += 1) appends.push(log.append('a', 1, [delta(seq)]));
      await log.subscribe('a', (events) => seen.push(...events));
      for (let seq = 21; seq <= 40; seq += 1) appends.push(log.append('a', 1, [delta(seq)]));
      const backfill = await log.read('a');
      await Promise.all(appends);
      const all = new Set([...backfill, ...seen].map((event) => event.seq));
      expect([...all].sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    });

    it('gives every follower every batch, until it stops listening', async () => {
      await log.begin('a', 1);
      const first: TurnEvent[] = [];
      const second: TurnEvent[] = [];
      const stop = await log.subscribe('a', (events) => first.push(...events));
      await log.subscribe('a', (events) => second.push(...events));
      await log.append('a', 1, [delta(1)]);
      stop();
      await log.append('a', 1, [delta(2)]);
      expect(first).toEqual([delta(1)]);
      expect(second).toEqual([delta(1), delta(2)]);
    });

    it('what was read is not changed by what comes after', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      const read = await log.read('a');
      await log.append('a', 1, [delta(2)]);
      expect(read).toEqual([delta(1)]);
    });

    it('forgets a turn some time after it expired, and not before', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      await log.expire('a', 1_000);
      await pass(900);
      expect(await log.read('a')).toHaveLength(1);
      await pass(200);
      expect(await log.read('a')).toEqual([]);
    });

    it('keeps a turn that begins again before it expires', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      await log.expire('a', 1_000);
      await log.begin('a', 2);
      await pass(2_000);
      expect(await log.read('a')).toHaveLength(1);
    });

    it('answers a ping', async () => {
      await expect(log.ping()).resolves.toBeUndefined();
    });
  });
}
