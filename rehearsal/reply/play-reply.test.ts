import { describe, expect, it } from '@jest/globals';
import type { Clock } from '../../src/platform/clock.js';
import type { Move } from './encode-reply.js';
import { playReply } from './play-reply.js';

/** A clock whose time is moved by hand; it counts the timers that wait. */
class HandClock implements Clock {
  #now = 1_000;
  #timers: { at: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  get pending(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter((timer) => timer.at <= this.#now);
    this.#timers = this.#timers.filter((timer) => timer.at > this.#now);
    for (const timer of due) timer.callback();
  }
}

/** A stage that notes the size of each batch, and is full after `capacity` batches. */
function makeStage(capacity = Number.POSITIVE_INFINITY) {
  const log: string[] = [];
  let left = capacity;
  let onDrain: (() => void) | undefined;
  return {
    log,
    send: (events: unknown[]) => {
      log.push(String(events.length));
      left -= 1;
      return left > 0;
    },
    get isFull() {
      return left <= 0;
    },
    whenDrained: (callback: () => void) => void (onDrain = callback),
    end: (breakOff: { how: string } | undefined) => void log.push(breakOff?.how ?? 'end'),
    drain: (more: number) => {
      left = more;
      onDrain?.();
    },
  };
}

const send: Move = { type: 'send', event: { type: 'ping' } };
const pause = (ms: number): Move => ({ type: 'pause', ms });
const sends = (count: number): Move[] => Array.from({ length: count }, () => send);

describe('playReply', () => {
  it('sends without pauses in batches, without a timer', () => {
    const clock = new HandClock();
    const stage = makeStage();
    playReply(sends(150).values(), stage, clock);
    expect(stage.log).toEqual(['64', '64', '22', 'end']);
    expect(clock.pending).toBe(0);
  });

  it('keeps pauses, with one timer at a time', () => {
    const clock = new HandClock();
    const stage = makeStage();
    playReply([send, send, pause(50), send, pause(5), send].values(), stage, clock);
    expect([stage.log, clock.pending]).toEqual([['2'], 1]);
    clock.advance(49);
    expect(stage.log).toEqual(['2']);
    clock.advance(1);
    expect([stage.log, clock.pending]).toEqual([['2', '1'], 1]);
    clock.advance(5);
    expect([stage.log, clock.pending]).toEqual([['2', '1', '1', 'end'], 0]);
  });

  it('makes up for a late timer in one batch', () => {
    const clock = new HandClock();
    const stage = makeStage();
    playReply(
      [pause(5), send, pause(5), send, pause(5), send, pause(5), send].values(),
      stage,
      clock,
    );
    clock.advance(17);
    expect(stage.log).toEqual(['3']);
    clock.advance(3);
    expect(stage.log).toEqual(['3', '1', 'end']);
  });

  it('waits for a full stage and takes no move meanwhile', () => {
    const clock = new HandClock();
    const stage = makeStage(1);
    let taken = 0;
    const moves = (function* (): Generator<Move, void, void> {
      for (; taken < 200; taken += 1) yield send;
    })();
    playReply(moves, stage, clock);
    expect([stage.log, taken]).toEqual([['64'], 63]);
    stage.drain(9);
    expect(stage.log).toEqual(['64', '64', '64', '8', 'end']);
  });

  it('waits for a full stage after a pause too', () => {
    const clock = new HandClock();
    const stage = makeStage(1);
    playReply([send, pause(5), send].values(), stage, clock);
    clock.advance(5);
    expect(stage.log).toEqual(['1']);
    stage.drain(9);
    expect(stage.log).toEqual(['1', '1', 'end']);
  });

  it('says how a reply breaks off', () => {
    const stage = makeStage();
    const breakOff = { how: 'drop', after: 1 } as const;
    playReply([send, { type: 'break' as const, breakOff }].values(), stage, new HandClock());
    expect(stage.log).toEqual(['1', 'drop']);
  });

  it('stops at once, in a pause or on a full stage', () => {
    const clock = new HandClock();
    const paused = makeStage();
    playReply([send, pause(5), send].values(), paused, clock)();
    const full = makeStage(1);
    playReply(sends(100).values(), full, clock)();
    expect(clock.pending).toBe(0);
    clock.advance(5);
    full.drain(9);
    expect([paused.log, full.log]).toEqual([['1'], ['64']]);
  });
});
