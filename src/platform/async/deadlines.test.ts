import { getMaxListeners } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import {
  withTimeout,
  withDeadline,
  untilAborted,
  linkAbort,
  retry,
  retryDelay,
} from './deadlines.js';

describe('withTimeout', () => {
  it('tells done, late and failed work apart', async () => {
    expect(await withTimeout(60_000, Promise.resolve())).toBe(true);
    expect(await withTimeout(1, new Promise(() => undefined))).toBe(false);
    await expect(withTimeout(60_000, Promise.reject(new Error('no')))).rejects.toThrow('no');
  });

  it('waits by the given clock, and leaves no timer', async () => {
    const clock = new ManualClock();
    expect(await withTimeout(10, Promise.resolve(), clock)).toBe(true);
    expect(clock.pending).toBe(0);
    let found: boolean | undefined;
    const late = withTimeout(10, new Promise(() => undefined), clock);
    const settled = late.then((isInTime) => (found = isInTime));
    await clock.advance(9);
    expect(found).toBeUndefined();
    await clock.advance(1);
    await settled;
    expect([found, clock.pending]).toEqual([false, 0]);
  });

  it('leaves no unhandled rejection of late work', async () => {
    let fail = (): void => undefined;
    const work = new Promise<void>((_resolve, reject) => (fail = () => reject(new Error('late'))));
    expect(await withTimeout(1, work)).toBe(false);
    fail();
    await expect(work).rejects.toThrow('late');
  });
});

const forever = (signal: AbortSignal) => untilAborted(new Promise<never>(() => undefined), signal);

describe('withDeadline', () => {
  it('returns what the work returns, and leaves no timer', async () => {
    const clock = new ManualClock();
    let given: AbortSignal | undefined;
    const result = await withDeadline(clock, 10, async (signal) => {
      given = signal;
      return 'done';
    });
    await clock.advance(11);
    expect([result, given?.aborted]).toEqual(['done', false]);
  });

  it('aborts the work with its reason when the time is over', async () => {
    const clock = new ManualClock();
    const reason = new Error('late');
    const rejected = expect(withDeadline(clock, { ms: 10, reason }, forever)).rejects.toBe(reason);
    await clock.advance(9);
    await clock.advance(1);
    await rejected;
  });

  it('passes an earlier end on, with the reason of that', async () => {
    const outer = new AbortController();
    const reason = new Error('cancelled');
    const result = withDeadline(new ManualClock(), { ms: 10, outer: outer.signal }, forever);
    outer.abort(reason);
    await expect(result).rejects.toBe(reason);
  });
});

describe('linkAbort', () => {
  it('passes an abort on with its reason, until it is detached', () => {
    const outer = new AbortController();
    const linked = new AbortController();
    const detached = new AbortController();
    linkAbort(outer.signal, linked);
    linkAbort(outer.signal, detached)();
    outer.abort('why');
    expect(linked.signal.reason).toBe('why');
    expect(detached.signal.aborted).toBe(false);
  });

  it('passes on an abort that has happened', () => {
    const inner = new AbortController();
    linkAbort(AbortSignal.abort('why'), inner);
    expect(inner.signal.reason).toBe('why');
  });
});

describe('untilAborted', () => {
  it('settles as the work does', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  });

  it('rejects at once when the signal aborts, before or during', async () => {
    const never = new Promise<never>(() => undefined);
    const controller = new AbortController();
    const result = untilAborted(never, controller.signal);
    controller.abort(new Error('stop'));
    await expect(result).rejects.toThrow('stop');
    await expect(untilAborted(never, controller.signal)).rejects.toThrow('stop');
  });
});

describe('untilAborted, when the signal comes first', () => {
  it.each(['before', 'during'])('leaves no unhandled rejection: aborted %s', async (when) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown): void => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const controller = new AbortController();
    const stop = new Error('stop');
    let fail = (_error: Error): void => undefined;
    const work = new Promise<never>((_resolve, reject) => (fail = reject));
    if (when === 'before') controller.abort(stop);
    const result = untilAborted(work, controller.signal);
    controller.abort(stop);
    await expect(result).rejects.toBe(stop);
    fail(new Error('late'));
    // The runtime reports what nobody handled after the microtasks of a turn of the loop.
    await yieldToEventLoop();
    await yieldToEventLoop();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});

// From the eleventh listener on, Node would warn of a leak: of a turn with as many MCP servers, for one.
it('a signal may end any number of things', async () => {
  const linked = new AbortController();
  linkAbort(linked.signal, new AbortController())();
  const awaited = new AbortController();
  await untilAborted(Promise.resolve(), awaited.signal);
  expect([linked, awaited].map(({ signal }) => getMaxListeners(signal))).toEqual([
    Infinity,
    Infinity,
  ]);
});

const delays = { firstMs: 100, maxMs: 350 };
const always = { ...delays, mayRetry: () => true };
const down = new Error('down');

describe('retryDelay', () => {
  it('doubles up to its maximum', () => {
    expect([0, 1, 2, 3, 2_000].map((retries) => retryDelay(delays, retries))).toEqual([
      100, 200, 350, 350, 350,
    ]);
  });

  it('is cut by chance to no less than half', () => {
    expect([0, 0.5, 1].map((random) => retryDelay(delays, 1, random))).toEqual([100, 150, 200]);
  });
});

describe('retry', () => {
  it('returns what the work returns, without a delay after success', async () => {
    const clock = new ManualClock();
    expect(await retry(clock, always, async () => 'done')).toBe('done');
    expect(clock.pending).toBe(0);
  });

  it('runs failed work again, each time after a longer delay', async () => {
    const clock = new ManualClock();
    const startedAt = clock.now();
    const tries: number[][] = [];
    const result = retry(clock, always, async (failures) => {
      tries.push([failures, clock.now() - startedAt]);
      if (failures < 3) throw down;
      return 'done';
    });
    await clock.advance(0);
    await clock.advance(1_000);
    expect(await result).toBe('done');
    expect(tries).toEqual([
      [0, 0],
      [1, 100],
      [2, 300],
      [3, 650],
    ]);
  });

  it('throws an error that is final, at once', async () => {
    const clock = new ManualClock();
    const seen: unknown[] = [];
    const mayRetry = (error: unknown): boolean => {
      seen.push(error);
      return error === down;
    };
    const fatal = new Error('fatal');
    const result = expect(
      retry(clock, { ...delays, mayRetry }, (failures) =>
        Promise.reject(failures === 0 ? down : fatal),
      ),
    ).rejects.toBe(fatal);
    await clock.advance(0);
    await clock.advance(100);
    await result;
    expect(seen).toEqual([down, fatal]);
  });

  it('ends a delay with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('stop');
    const result = expect(
      retry(new ManualClock(), { ...always, signal: stop.signal }, () => Promise.reject(down)),
    ).rejects.toBe(reason);
    stop.abort(reason);
    await result;
  });
});
