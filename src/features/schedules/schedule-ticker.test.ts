import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { silentLogger } from '../../../test/support/silent-logger.js';
import { ScheduleTicker } from './schedule-ticker.js';

describe('ScheduleTicker', () => {
  it.each([0, 1, 2, 3])(
    'makes a look that is asked for %i microtasks after the one before began',
    async (microtasks) => {
      let looks = 0;
      const claim = async (): Promise<[]> => {
        looks += 1;
        return [];
      };
      const run = async (): Promise<void> => undefined;
      const clock = new ManualClock();
      const ticker = new ScheduleTicker({ claim }, { run }, clock, silentLogger);
      ticker.start();
      for (let passed = 0; passed < microtasks; passed += 1) await Promise.resolve();
      ticker.start();
      await yieldToEventLoop();
      await ticker.onModuleDestroy();
      expect(looks).toBe(2);
      expect(clock.pending).toBe(0);
    },
  );

  it('looks at once after a look that began just before a minute and ended in it', async () => {
    const clock = new ManualClock(Date.parse('2026-01-01T00:00:59.999Z'));
    const looks: string[] = [];
    const claim = async (): Promise<[]> => {
      looks.push(new Date(clock.now()).toISOString().slice(17, 23));
      // The database takes 20 ms.
      await new Promise<void>((resolve) => clock.after(20, resolve));
      return [];
    };
    const ticker = new ScheduleTicker({ claim }, { run: async () => {} }, clock, silentLogger);
    ticker.start();
    await clock.advance(1_000);
    expect(looks).toEqual(['59.999', '00.019']);
    await clock.advance(15_000);
    expect(looks).toHaveLength(3);
    await ticker.onModuleDestroy();
  });
});
