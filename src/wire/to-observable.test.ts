import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import type { TurnEvent } from '../events/turn-event.js';
import { harnessDialect } from './dialects/harness.js';
import { encodeTurn } from './encode-turn.js';
import type { Sink } from './response-sink.js';
import type { SseMessage } from './sse-frame.js';
import { toObservable, type TurnStream } from './to-observable.js';

/** The sink of a reader that keeps up, to which nothing was sent yet. */
const keepsUp: Sink = {
  gather: () => undefined,
  drained: async () => undefined,
  drop: () => false,
};

const delta = (seq: number, text = 'x'): TurnEvent => ({
  type: 'text.delta',
  step: 1,
  text,
  attempt: 1,
  seq,
  at: '',
});

function open(follow: TurnStream['follow'], sink = keepsUp) {
  const clock = new ManualClock();
  const encode = encodeTurn(harnessDialect, 'turn_1');
  const messages: SseMessage[] = [];
  const end = { completed: false, error: undefined as unknown };
  const subscription = toObservable({ follow, encode, sink, clock }).subscribe({
    next: (message) => messages.push(message),
    error: (error: unknown) => (end.error = error),
    complete: () => (end.completed = true),
  });
  return { clock, messages, end, subscription };
}

async function* silence(signal: AbortSignal): AsyncGenerator<TurnEvent[]> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  yield [];
}

describe('toObservable', () => {
  it('says something after every fifteen seconds of silence, and not sooner', async () => {
    const { clock, messages, subscription } = open(silence);
    await clock.advance(14_999);
    expect(messages).toEqual([]);
    await clock.advance(1);
    expect(messages).toEqual([{ comment: 'keepalive' }]);
    await clock.advance(15_000);
    expect(messages).toHaveLength(2);
    subscription.unsubscribe();
    expect(clock.pending).toBe(0);
  });

  it('counts the silence from the last frame', async () => {
    let say = (_events: TurnEvent[]): void => undefined;
    const said = new Promise<TurnEvent[]>((resolve) => (say = resolve));
    const { clock, messages, subscription } = open(async function* (signal) {
      yield await said;
      yield* silence(signal);
    });
    await clock.advance(10_000);
    say([delta(1)]);
    await clock.advance(0);
    await clock.advance(14_000);
    expect(messages.map((message) => message.type)).toEqual(['chat:delta']);
    await clock.advance(1_000);
    expect(messages.at(-1)).toEqual({ comment: 'keepalive' });
    subscription.unsubscribe();
  });

  it('completes when the turn has ended, and passes a failure on', async () => {
    const ended = open(async function* () {
      yield [delta(1)];
    });
    await ended.clock.advance(0);
    expect(ended.end).toEqual({ completed: true, error: undefined });
    const broken = new Error('no');
    const failed = open(async function* () {
      yield [delta(1)];
      throw broken;
    });
    await failed.clock.advance(0);
    expect(failed.end.error).toBe(broken);
  });

  it('tells its reader nothing where the sink ends the connection', async () => {
    const broken = new Error('no');
    const dropped: unknown[] = [];
    const sink: Sink = { ...keepsUp, drop: (error) => dropped.push(error) > 0 };
    const { clock, end } = open(async function* () {
      yield [delta(1)];
      throw broken;
    }, sink);
    await clock.advance(0);
    expect(dropped).toEqual([broken]);
    expect(end).toEqual({ completed: false, error: undefined });
  });

  it('stops following when its reader goes, and tells nobody of an error', async () => {
    let aborted = false;
    const { clock, end, subscription } = open(async function* (signal) {
      signal.addEventListener('abort', () => (aborted = true));
      yield* silence(signal);
      throw new Error('late');
    });
    await clock.advance(0);
    subscription.unsubscribe();
    await clock.advance(0);
    expect(aborted).toBe(true);
    expect(end).toEqual({ completed: false, error: undefined });
  });

  it('sends nothing more to a reader that left while it was waited for', async () => {
    let release = (): void => undefined;
    const drained = () => new Promise<void>((resolve) => (release = resolve));
    const { clock, messages, subscription } = open(
      async function* () {
        yield [delta(1, 'x'.repeat(300_000)), delta(2)];
      },
      { ...keepsUp, drained },
    );
    await clock.advance(0);
    subscription.unsubscribe();
    release();
    await clock.advance(0);
    expect(messages).toHaveLength(1);
  });

  it('waits for a reader that does not keep up with a long replay', async () => {
    let release = (): void => undefined;
    const drained = () => new Promise<void>((resolve) => (release = resolve));
    const sink = { ...keepsUp, drained };
    const big = 'x'.repeat(300_000);
    const { clock, messages } = open(async function* () {
      yield [delta(1, big), delta(2, big), delta(3)];
    }, sink);
    await clock.advance(0);
    expect(messages).toHaveLength(1);
    release();
    await clock.advance(0);
    expect(messages).toHaveLength(2);
    release();
    await clock.advance(0);
    expect(messages).toHaveLength(3);
  });
});
