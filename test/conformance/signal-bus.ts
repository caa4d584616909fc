import { describe, expect, it } from '@jest/globals';
import type { SignalBus } from '../../src/turn/signal-bus.js';

/** What every signal bus must do while nothing is broken; a lost hint costs latency only. */
export function signalBusConformance(name: string, open: () => Promise<SignalBus>): void {
  describe(`${name} as a signal bus`, () => {
    it('gives a hint to every listener, until it stops listening', async () => {
      const bus = await open();
      const first: string[] = [];
      const second: string[] = [];
      const stop = bus.onCancel((turnId) => first.push(turnId));
      bus.onCancel((turnId) => second.push(turnId));
      await bus.publishCancel('a');
      stop();
      await bus.publishCancel('b');
      expect(first).toEqual(['a']);
      expect(second).toEqual(['a', 'b']);
      await bus.close();
    });

    it('takes a hint that nobody listens for', async () => {
      const bus = await open();
      await expect(bus.publishCancel('a')).resolves.toBeUndefined();
      await bus.close();
    });

    it('says nothing more once it is closed', async () => {
      const bus = await open();
      const heard: string[] = [];
      bus.onCancel((turnId) => heard.push(turnId));
      await bus.close();
      expect(heard).toEqual([]);
    });
  });
}
