import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SignalBus } from '../../src/turn/queue/signal-bus.js';
import { Recorder } from '../support/recorder.js';

/** The contract of every signal bus while nothing is broken; a lost hint costs latency only. */
export function signalBusConformance(name: string, open: () => Promise<SignalBus>): void {
  describe(`${name} as a signal bus`, () => {
    let bus: SignalBus;
    beforeEach(async () => {
      bus = await open();
    });
    afterEach(() => bus.close());

    it('gives a hint to every listener, until it stops listening', async () => {
      const first = new Recorder<string>();
      const second = new Recorder<string>();
      const stop = await bus.onCancel(first.take);
      await bus.onCancel(second.take);
      await bus.publishCancel('a');
      await first.count(1);
      stop();
      await bus.publishCancel('b');
      await second.count(2);
      expect(first.items).toEqual(['a']);
      expect(second.items).toEqual(['a', 'b']);
    });

    it('takes a hint that nobody listens for, and keeps none for who comes later', async () => {
      await bus.publishCancel('a');
      const early = new Recorder<string>();
      const stop = await bus.onCancel(early.take);
      await bus.publishCancel('b');
      await early.has('b');
      stop();
      const late = new Recorder<string>();
      await bus.onCancel(late.take);
      await bus.publishCancel('c');
      await late.has('c');
      expect(late.items).not.toContain('b');
    });

    it('gives each kind of hint to those who listen for it', async () => {
      const cancels = new Recorder<string>();
      const checks = new Recorder<string>();
      await bus.onCancel(cancels.take);
      const left = new Recorder<string>();
      await bus.onLeft(left.take);
      const stop = await bus.onReaderCheck(() => checks.take('check'));
      await bus.publishReaderCheck();
      await checks.count(1);
      stop();
      await bus.publishLeft('b');
      await left.count(1);
      await bus.publishReaderCheck();
      await bus.publishCancel('a');
      await cancels.count(1);
      expect([cancels.items, checks.items, left.items]).toEqual([['a'], ['check'], ['b']]);
    });

    it('says nothing more once it is closed, whether it takes a hint or refuses it', async () => {
      const received = new Recorder<string>();
      await bus.onCancel(received.take);
      await bus.close();
      await Promise.allSettled([bus.publishCancel('a')]);
      expect(received.items).toEqual([]);
    });
  });
}
