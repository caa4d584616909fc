import { afterEach, describe, expect, it } from '@jest/globals';
import type { TurnQueue } from '../../src/turn/turn-queue.js';

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
      const handled = new Recorder();
      for (const id of ['a', 'b', 'c']) await queue.enqueue(id);
      queue.consume(handled.take);
      await handled.count(3);
      expect(handled.ids).toEqual(['a', 'b', 'c']);
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

    it('says how many are before a turn; none for one that starts', async () => {
      const { queue } = await start(1);
      const gate = new Gate();
      queue.consume(gate.handle);
      expect(await queue.enqueue('a')).toEqual({ position: 0 });
      await gate.running(1);
      expect(await queue.enqueue('b')).toEqual({ position: 1 });
      expect(await queue.enqueue('c')).toEqual({ position: 2 });
      gate.open();
      await gate.done(3);
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
    });

    it('goes on after a handler that throws', async () => {
      const { queue, errors } = await start(1);
      const handled = new Recorder();
      queue.consume(async (id) => {
        await handled.take(id);
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

class Recorder {
  readonly ids: string[] = [];
  #waiters: { count: number; resolve: () => void }[] = [];

  readonly take = async (id: string): Promise<void> => {
    this.ids.push(id);
    for (const waiter of this.#waiters) if (this.ids.length >= waiter.count) waiter.resolve();
  };

  async count(count: number): Promise<void> {
    if (this.ids.length >= count) return;
    await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
  }
}

/** Handlers that wait until the test lets them go. */
class Gate {
  most = 0;
  readonly #started = new Recorder();
  readonly #ended = new Recorder();
  #running = 0;
  #open = (): void => undefined;
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  readonly handle = async (id: string): Promise<void> => {
    this.#running += 1;
    this.most = Math.max(this.most, this.#running);
    await this.#started.take(id);
    await this.#opened;
    this.#running -= 1;
    await this.#ended.take(id);
  };

  get ids(): string[] {
    return this.#started.ids;
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
