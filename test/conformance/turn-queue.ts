import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { TurnHandler, TurnQueue } from '../../src/turn/queue/turn-queue.js';
import { expectSoon } from '../support/expect-soon.js';
import { Recorder } from '../support/recorder.js';

export interface TurnQueueUnderTest {
  queue: TurnQueue;
  /** Errors that handlers threw, by turn id. */
  errors: Map<string, unknown>;
}

function handling(handle: TurnHandler['handle']): TurnHandler {
  return { handle, onDoubt: () => undefined };
}

/** The contract of every turn queue. */
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

    it('knows who takes turns from it', async () => {
      const { queue } = await start(1);
      await queue.consume(handling(async () => undefined));
      await expectSoon(async () => expect(await queue.workers()).toBe(1));
    });

    it('hands turns out in the order they came, also those that came before the consumer', async () => {
      const { queue } = await start(1);
      const handled = new Recorder<string>();
      for (const id of ['a', 'b', 'c']) await queue.enqueue([id], 'normal');
      expect(await queue.depth()).toBe(3);
      await queue.consume(handling(async (id) => handled.take(id)));
      await handled.count(3);
      expect(handled.items).toEqual(['a', 'b', 'c']);
    });

    it('runs no more at a time than it may', async () => {
      const { queue } = await start(2);
      const gate = new Gate();
      await queue.consume(handling(gate.handle));
      for (const id of ['a', 'b', 'c', 'd']) await queue.enqueue([id], 'normal');
      await gate.running(2);
      expect(gate.most).toBe(2);
      expect(await queue.depth()).toBe(2);
      gate.open();
      await gate.done(4);
      expect(gate.most).toBe(2);
    });

    it.each([1, 2])(
      'knows the queue positions of turns that wait, with workers: %i',
      async (workers) => {
        const { queue } = await start(workers);
        const gate = new Gate();
        await queue.consume(handling(gate.handle));
        const running = Array.from({ length: workers }, (_, i) => `running ${i}`);
        await queue.enqueue(running, 'normal');
        await gate.running(workers);
        await queue.enqueue(['b'], 'normal');
        await queue.enqueue(['c', 'b'], 'normal');
        const positions = await Promise.all(
          ['running 0', 'b', 'c', 'x'].map((id) => queue.position(id)),
        );
        expect(positions).toEqual([0, 1, 2, 0]);
        gate.open();
        await gate.done(workers + 2);
      },
    );

    it('serves recovered turns first and background ones last', async () => {
      const { queue } = await start(1);
      await queue.enqueue(['background'], 'background');
      await queue.enqueue(['normal'], 'normal');
      await queue.enqueue(['recovered'], 'recovered');
      expect(await queue.depth()).toBe(3);
      const order = ['recovered', 'normal', 'background'];
      const positions = await Promise.all(order.map((id) => queue.position(id)));
      expect(positions).toEqual([1, 2, 3]);
      const handled = new Recorder<string>();
      await queue.consume(handling(async (id) => handled.take(id)));
      await handled.count(3);
      expect(handled.items).toEqual(order);
    });

    it('takes a turn once while it waits or runs', async () => {
      const { queue } = await start(1);
      const gate = new Gate();
      await queue.consume(handling(gate.handle));
      await queue.enqueue(['a'], 'normal');
      await gate.running(1);
      await queue.enqueue(['a'], 'normal');
      await queue.enqueue(['b'], 'normal');
      await queue.enqueue(['b'], 'normal');
      expect(await queue.depth()).toBe(1);
      gate.open();
      await gate.done(2);
      // A second run of the first two would come before this.
      await queue.enqueue(['c'], 'normal');
      await gate.done(3);
      expect(gate.ids).toEqual(['a', 'b', 'c']);
    });

    it('hands out a recovered turn though its other wake-up is in use', async () => {
      const { queue } = await start(2);
      const gate = new Gate();
      await queue.consume(handling(gate.handle));
      await queue.enqueue(['a'], 'normal');
      await gate.running(1);
      await queue.enqueue(['a'], 'recovered');
      await gate.running(2);
      await queue.enqueue(['a'], 'recovered');
      expect(await queue.depth()).toBe(0);
      gate.open();
      await gate.done(2);
      expect(gate.recovered).toEqual([false, true]);
    });

    it('takes a turn again once it has run', async () => {
      const { queue } = await start(1);
      const handled = new Recorder<string>();
      await queue.consume(handling(async (id) => handled.take(id)));
      await queue.enqueue(['a'], 'normal');
      await handled.count(1);
      // The queue takes the turn for a running one until it has seen the handler settle.
      while (handled.items.length < 2) {
        await queue.enqueue(['a'], 'normal');
        await nextTurn();
      }
      expect(new Set(handled.items)).toEqual(new Set(['a']));
    });

    it('goes on after a handler that throws', async () => {
      const { queue, errors } = await start(1);
      const handled = new Recorder<string>();
      await queue.consume(
        handling(async (id) => {
          handled.take(id);
          if (id === 'a') throw new Error('no');
        }),
      );
      await queue.enqueue(['a'], 'normal');
      await queue.enqueue(['b'], 'normal');
      await handled.count(2);
      expect(errors.get('a')).toEqual(new Error('no'));
    });

    it('closes when what runs has settled, and starts nothing more', async () => {
      const { queue } = await start(1);
      const gate = new Gate();
      await queue.consume(handling(gate.handle));
      await queue.enqueue(['a'], 'normal');
      await queue.enqueue(['b'], 'normal');
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

  readonly recovered: boolean[] = [];

  readonly handle = async (id: string, isRecovered: boolean): Promise<void> => {
    this.recovered.push(isRecovered);
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
