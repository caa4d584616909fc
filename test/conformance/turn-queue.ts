import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TurnQueue } from '../../src/turn/turn-queue.js';
import { Recorder } from '../support/recorder.js';

export interface TurnQueueUnderTest {
  queue: TurnQueue;
  /** What handlers threw, by turn. */
  errors: Map<string, unknown>;
}

/** What every turn queue must do, whatever carries it. */
export function turnQueueConformance(
  name: string,
  open: (concurrency: number) => Promise<TurnQueueUnderTest>,
): void {
  describe(`${name} as a turn queue`, () => {
    const opened: TurnQueue[] = [];
    const start = async (concurrency: number) => {
      const under = await open(concurrency);
      opened.push(under.queue);
      return under;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((queue) => queue.close()));
    });

    it('hands turns out in the order they came, also those that came before the consumer', async () => {
      const { queue } = await start(1);
      const handled = new Recorder<string>();
      for (const id of ['a', 'b', 'c']) await queue.enqueue(id);
      expect(await queue.depth()).toBe(3);
      queue.consume(async (id) => handled.take(id));
      await handled.count(3);
      expect(handled.items).toEqual(['a', 'b', 'c']);
    });

    it('runs no more at a time than it may', async () => {
      const { queue } = await start(2);
      const gate = new Gate();
      queue.consume(gate.handle);
      for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue(id);
      await gate.running(2);
      expect(gate.most).toBe(2);
      expect(await queue.depth()).toBe(2);
      gate.open();
      await gate.done(4);
      expect(gate.most).toBe(2);
    });

    it.each([1, 2])('says its place in the line to a turn that waits for %i', async (workers) => {
      const { queue } = await start(workers);
      const gate = new Gate();
      queue.consume(gate.handle);
      for (let i = 1; i <= workers; i += 1) {
        expect(await queue.enqueue(`running ${i}`)).toEqual({ position: 0 });
      }
      await gate.running(workers);
      expect(await queue.enqueue('b')).toEqual({ position: 1 });
      expect(await queue.enqueue('c')).toEqual({ position: 2 });
      expect(await queue.enqueue('b')).toEqual({ position: 1 });
      expect(await queue.enqueue('running 1')).toEqual({ position: 0 });
      gate.open();
      await gate.done(workers + 2);
    });

    it('takes a turn once while it waits or runs', async () => {
      const { queue } = await start(1);
      const gate = new Gate();
      queue.consume(gate.handle);
      await queue.enqueue('a');
      await gate.running(1);
      await queue.enqueue('a');
      await queue.enqueue('b');
      await queue.enqueue('b');
      expect(await queue.depth()).toBe(1);
      gate.open();
      await gate.done(2);
      // What was not to run a second time would come before this.
      await queue.enqueue('c');
      await gate.done(3);
      expect(gate.ids).toEqual(['a', 'b', 'c']);
    });

    it('takes a turn again once it has run', async () => {
      const { queue } = await start(1);
      const handled = new Recorder<string>();
      queue.consume(async (id) => handled.take(id));
      await queue.enqueue('a');
      await handled.count(1);
      // Until the queue has seen its handler settle, it takes the turn for one that runs.
      while (handled.items.length < 2) {
        await queue.enqueue('a');
        await nextTurn();
      }
      expect(new Set(handled.items)).toEqual(new Set(['a']));
    });

    it('goes on after a handler that throws', async () => {
      const { queue, errors } = await start(1);
      const handled = new Recorder<string>();
      queue.consume(async (id) => {
        handled.take(id);
        if (id === 'a') throw new Error('no');
      });
      await queue.enqueue('a');
      await queue.enqueue('b');
      await handled.count(2);
      expect(errors.get('a')).toEqual(new Error('no'));
    });

    it('closes when what runs has settled, and starts nothing more', async () => {
      const { queue } = await start(1);
      const gate = new Gate();
      queue.consume(gate.handle);
      await queue.enqueue('a');
      await queue.enqueue('b');
      await gate.running(1);
      let closed = false;
      const closing = queue.close().then(() => (closed = true));
      await Promise.resolve();
      expect(closed).toBe(false);
      gate.open();
      await closing;
      expect(gate.ids).toEqual(['a']);
      await expect(queue.ping()).rejects.toThrow('closed');
    });
  });
}

/** Handlers that wait until the test lets them go. */
class Gate {
  most = 0;
  readonly #started = new Recorder<string>();
  readonly #ended = new Recorder<string>();
  #running = 0;
  #open = (): void => undefined;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  readonly handle = async (id: string): Promise<void> => {
    this.#running += 1;
    this.most = Math.max(this.most, this.#running);
    this.#started.take(id);
    await this.#opened;
    this.#running -= 1;
    this.#ended.take(id);
  };

  get ids(): string[] {
    return this.#started.items;
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
