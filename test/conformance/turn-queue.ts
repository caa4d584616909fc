import { afterEach, describe, expect, it } from '@jest/globals';
import type { TurnQueue } from '../../src/turn/queue/turn-queue.js';
import { expectSoon } from '../support/expect-soon.js';
import { Recorder } from '../support/recorder.js';

export interface TurnQueueUnderTest {
  queue: TurnQueue;
  /** Errors that handlers threw. */
  errors: unknown[];
}

/** The contract of every turn queue. */
export function turnQueueConformance(name: string, open: () => Promise<TurnQueueUnderTest>): void {
  describe(`${name} as a turn queue`, () => {
    const opened: TurnQueue[] = [];
    const start = async () => {
      const under = await open();
      opened.push(under.queue);
      return under;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((queue) => queue.close()));
    });

    it('knows who takes tokens from it', async () => {
      const { queue } = await start();
      await queue.consume(async () => undefined);
      await expectSoon(async () => expect(await queue.workers()).toBe(1));
    });

    it('hands a token out for whatever came before it, also before the consumer', async () => {
      const { queue } = await start();
      const handled = new Recorder<number>();
      await Promise.all([queue.wake(), queue.wake(), queue.wake()]);
      expect(await queue.depth()).toBe(1);
      await queue.consume(async () => handled.take(1));
      await handled.count(1);
      await queue.wake();
      await handled.count(2);
      await expectSoon(async () => expect(await queue.depth()).toBe(0));
      expect(handled.items).toHaveLength(2);
    });

    it('hands out one at a time, and another for what comes meanwhile', async () => {
      const { queue } = await start();
      const gate = new Gate();
      await queue.consume(gate.handle);
      await queue.wake();
      await gate.running(1);
      await queue.wake();
      expect(await queue.depth()).toBe(1);
      gate.open();
      await gate.done(2);
      expect(gate.most).toBe(1);
    });

    it('goes on after a handler that throws', async () => {
      const { queue, errors } = await start();
      const handled = new Recorder<number>();
      await queue.consume(async () => {
        handled.take(1);
        if (handled.items.length === 1) throw new Error('no');
      });
      await queue.wake();
      await handled.count(1);
      await queue.wake();
      await handled.count(2);
      expect(errors).toEqual([new Error('no')]);
    });

    it('closes when what runs has settled, and starts nothing more', async () => {
      const { queue } = await start();
      const gate = new Gate();
      await queue.consume(gate.handle);
      await queue.wake();
      await gate.running(1);
      await queue.wake();
      let closed = false;
      const closing = queue.close().then(() => (closed = true));
      await Promise.resolve();
      expect(closed).toBe(false);
      gate.open();
      await closing;
      expect(gate.started).toBe(1);
      await expect(queue.ping()).rejects.toThrow('closed');
    });
  });
}

/** Handlers that wait until the test lets them go. */
class Gate {
  most = 0;
  readonly #started = new Recorder<number>();
  readonly #ended = new Recorder<number>();
  #running = 0;
  #open = (): void => undefined;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  readonly handle = async (): Promise<void> => {
    this.#running += 1;
    this.most = Math.max(this.most, this.#running);
    this.#started.take(1);
    await this.#opened;
    this.#running -= 1;
    this.#ended.take(1);
  };

  get started(): number {
    return this.#started.items.length;
  }

  open(): void {
    this.#open();
  }

  running(count: number): Promise<void> {
    return this.#started.count(count);
  }

  done(count: number): Promise<void> {
    return this.#ended.count(count);
  }
}
