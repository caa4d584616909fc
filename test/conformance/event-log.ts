import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  FencedError,
  GapError,
  type EventLog,
  type LogListener,
} from '../../src/events/event-log.js';
import { noUsage, type TurnEvent } from '../../src/events/turn-event.js';
import { Recorder } from '../support/recorder.js';

/** Time by which the log under test outlives a turn, in ms. */
export const KEPT_MS = 1_000;

export interface EventLogUnderTest {
  /** A log that keeps ended turns for `KEPT_MS`. */
  log: EventLog;
  /** Lets `ms` milliseconds pass for the log. */
  pass(ms: number): Promise<void>;
}

/** The end of a turn, as its first attempt's event. */
export function endEvent(seq: number): TurnEvent {
  const end = { outcome: 'completed', exitCode: 0, reason: 'end_turn', text: '' } as const;
  const place = { attempt: 1, seq, at: '' };
  return { type: 'turn.ended', ...end, usage: noUsage, durationMs: 1, ...place };
}

function hearing(onEvents: LogListener['onEvents']): LogListener {
  return { onEvents, onMissed: () => undefined };
}

/** The contract of every event log, on any store. */
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

    it('keeps turns apart, and has nothing of one it does not know', async () => {
      await log.append('a', 0, [delta(1, 0)]);
      expect(await log.read('b')).toEqual([]);
    });

    it('removes the logs of some turns, at once, and no other', async () => {
      for (const turnId of ['a', 'b', 'c']) {
        await log.begin(turnId, 1);
        await log.append(turnId, 1, [endEvent(1)]);
      }
      await log.remove(['a', 'b', 'none']);
      expect([await log.read('a'), await log.read('b')]).toEqual([[], []]);
      expect(await log.read('c')).toEqual([endEvent(1)]);
      // Nothing of it is left that would refuse a new one.
      await log.append('a', 1, [delta(1)]);
      expect(await log.read('a')).toEqual([delta(1)]);
    });

    it('refuses a fenced attempt, whole, and sends its followers nothing', async () => {
      const seen = new Recorder<TurnEvent>();
      await log.subscribe(
        'a',
        hearing((events) => seen.take(...events)),
      );
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      await log.begin('a', 2);
      await expect(log.append('a', 1, [delta(2), delta(3)])).rejects.toThrow(FencedError);
      expect(await log.read('a')).toEqual([delta(1)]);
      await log.append('a', 2, [delta(1, 2)]);
      await seen.count(2);
      expect(seen.items).toEqual([delta(1), delta(1, 2)]);
      expect(await log.read('a')).toEqual([delta(1), delta(1, 2)]);
    });

    it('says where it ends when an attempt begins', async () => {
      expect(await log.begin('a', 1)).toEqual({ attempt: 0, seq: 0 });
      await log.append('a', 1, [delta(1), delta(2)]);
      expect(await log.begin('a', 2)).toEqual({ attempt: 1, seq: 2 });
    });

    it('takes what was appended already, and does nothing: an answer may have been lost', async () => {
      const seen = new Recorder<TurnEvent>();
      await log.subscribe(
        'a',
        hearing((events) => seen.take(...events)),
      );
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1), delta(2)]);
      await log.append('a', 1, [delta(1), delta(2)]);
      await log.append('a', 1, [delta(3)]);
      await seen.has(delta(3));
      expect(seen.items).toEqual([delta(1), delta(2), delta(3)]);
      expect(await log.read('a')).toEqual([delta(1), delta(2), delta(3)]);
    });

    it('refuses what does not follow on, and says where it ends', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      const gap = await log.append('a', 1, [delta(3)]).catch((error: unknown) => error);
      expect(gap).toBeInstanceOf(GapError);
      expect(gap).toMatchObject({ last: { attempt: 1, seq: 1 } });
      await expect(log.append('a', 1, [delta(2, 2)])).rejects.toThrow(GapError);
      expect(await log.read('a')).toEqual([delta(1)]);
    });

    it('takes back from a later attempt what an earlier one said and it lost', async () => {
      await log.begin('a', 2);
      await log.append('a', 2, [delta(1), delta(2)]);
      await log.append('a', 2, [delta(1, 2)]);
      expect(await log.read('a')).toEqual([delta(1), delta(2), delta(1, 2)]);
      await expect(log.append('a', 1, [delta(3)])).rejects.toThrow(FencedError);
    });

    it('refuses the first event of an attempt while it lacks what came before', async () => {
      await log.begin('a', 2);
      const before = { attempt: 1, seq: 2 };
      await log.append('a', 2, [delta(1)]);
      const gap = await log.append('a', 2, [delta(1, 2)], before).catch((error: unknown) => error);
      expect(gap).toBeInstanceOf(GapError);
      expect(gap).toMatchObject({ last: { attempt: 1, seq: 1 } });
      await log.append('a', 2, [delta(2)]);
      await log.append('a', 2, [delta(1, 2)], before);
      await log.append('a', 2, [delta(2, 2)], before);
      expect(await log.read('a')).toEqual([delta(1), delta(2), delta(1, 2), delta(2, 2)]);
    });

    it('gives what comes after a position, also in the middle of a batch', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1), delta(2), delta(3)]);
      await log.append('a', 1, [delta(4)]);
      expect(await log.read('a', { attempt: 1, seq: 2 })).toEqual([delta(3), delta(4)]);
      expect(await log.read('a', { attempt: 1, seq: 4 })).toEqual([]);
      expect(await log.read('a', { attempt: 2, seq: 1 })).toEqual([]);
    });

    it('fences one turn, and no other', async () => {
      await log.begin('a', 2);
      await log.begin('b', 1);
      await log.append('b', 1, [delta(1)]);
      expect(await log.read('b')).toEqual([delta(1)]);
    });

    it('never lowers its fence', async () => {
      await log.begin('a', 3);
      await log.begin('a', 2);
      await expect(log.append('a', 2, [delta(1, 2)])).rejects.toThrow(FencedError);
    });

    it('leaves no gap between subscribing and reading', async () => {
      await log.begin('a', 1);
      const seen = new Recorder<TurnEvent>();
      const appends: Promise<void>[] = [];
      for (let seq = 1; seq <= 20; seq += 1) appends.push(log.append('a', 1, [delta(seq)]));
      await log.subscribe(
        'a',
        hearing((events) => seen.take(...events)),
      );
      for (let seq = 21; seq <= 40; seq += 1) appends.push(log.append('a', 1, [delta(seq)]));
      const backfill = await log.read('a');
      await Promise.all(appends);
      const from = (backfill.at(-1)?.seq ?? 0) + 1;
      const seqs = (events: readonly TurnEvent[]) => events.map(({ seq }) => seq);
      const upTo = (first: number, last: number) =>
        Array.from({ length: last - first + 1 }, (_, i) => first + i);
      expect(seqs(backfill)).toEqual(upTo(1, from - 1));
      await seen.count(40 - (seen.items[0]?.seq ?? from) + 1);
      const live = seqs(seen.items);
      expect(live).toEqual(upTo(live[0] ?? from, 40));
      expect(live[0] ?? from).toBeLessThanOrEqual(from);
    });

    it('gives every follower every batch, until it stops listening', async () => {
      await log.begin('a', 1);
      const first = new Recorder<readonly TurnEvent[]>();
      const second = new Recorder<readonly TurnEvent[]>();
      const stop = await log.subscribe('a', hearing(first.take));
      await log.subscribe('a', hearing(second.take));
      await log.append('a', 1, [delta(1), delta(2)]);
      await first.count(1);
      stop();
      await log.append('a', 1, [delta(3)]);
      await second.count(2);
      expect(first.items).toEqual([[delta(1), delta(2)]]);
      expect(second.items).toEqual([[delta(1), delta(2)], [delta(3)]]);
    });

    it('goes on with its followers when one stops, and stops again', async () => {
      const seen = new Recorder<TurnEvent>();
      const stop = await log.subscribe(
        'a',
        hearing(() => undefined),
      );
      stop();
      await log.subscribe(
        'a',
        hearing((events) => seen.take(...events)),
      );
      stop();
      await log.append('a', 1, [delta(1)]);
      await seen.count(1);
      expect(seen.items).toEqual([delta(1)]);
    });

    it('sends a follower nothing of another turn', async () => {
      const seen = new Recorder<TurnEvent>();
      await log.subscribe(
        'a',
        hearing((events) => seen.take(...events)),
      );
      await log.append('b', 1, [delta(1)]);
      await log.append('a', 1, [delta(1), delta(2)]);
      await seen.count(2);
      expect(seen.items).toEqual([delta(1), delta(2)]);
    });

    it('what was read is not changed by what comes after', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1)]);
      const read = await log.read('a');
      await log.append('a', 1, [delta(2)]);
      expect(read).toEqual([delta(1)]);
    });

    it('forgets a turn some time after its end, and not before', async () => {
      await log.begin('a', 1);
      await log.append('a', 1, [delta(1), endEvent(2)]);
      await log.append('b', 1, [delta(1)]);
      await pass(KEPT_MS / 2);
      expect(await log.read('a')).toHaveLength(2);
      await pass(KEPT_MS / 2 + 100);
      expect(await log.read('a')).toEqual([]);
      expect(await log.read('b')).toHaveLength(1);
    });

    it('leaves followers of a turn that is forgotten what they have, and goes on sending', async () => {
      await log.begin('a', 1);
      const seen = new Recorder<readonly TurnEvent[]>();
      await log.subscribe('a', hearing(seen.take));
      await log.append('a', 1, [endEvent(1)]);
      await seen.count(1);
      const read = await log.read('a');
      await pass(KEPT_MS + 100);
      expect(await log.read('a')).toEqual([]);
      expect([read, seen.items]).toEqual([[endEvent(1)], [[endEvent(1)]]]);
      await log.append('a', 1, [endEvent(1)]);
      await seen.count(2);
      expect(seen.items[1]).toEqual([endEvent(1)]);
    });

    it('forgets a turn again that was put back after its end', async () => {
      await log.append('a', 1, [endEvent(1)]);
      await pass(KEPT_MS + 100);
      await log.append('a', 1, [endEvent(1)]);
      await pass(KEPT_MS / 2);
      expect(await log.read('a')).toHaveLength(1);
      await pass(KEPT_MS / 2 + 100);
      expect(await log.read('a')).toEqual([]);
    });

    it('answers a ping', async () => {
      await expect(log.ping()).resolves.toBeUndefined();
    });
  });
}
