import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { sharedCheck } from './dependencies.js';

describe('sharedCheck', () => {
  function open(results: (Promise<void> | Error)[]) {
    const clock = new ManualClock();
    let asked = 0;
    const check = sharedCheck(async () => {
      const result = results[asked] ?? Promise.resolve();
      asked += 1;
      if (result instanceof Error) throw result;
      await result;
    }, clock);
    const outcome = () => check().then(() => 'ok', String);
    return { clock, outcome, asked: () => asked };
  }

  it('asks once a second, however many probes there are', async () => {
    const { clock, outcome, asked } = open([]);
    for (let second = 0; second < 3; second += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, outcome));
      expect(new Set(answers)).toEqual(new Set(['ok']));
      await clock.advance(999);
      await outcome();
      expect(asked()).toBe(second + 1);
      await clock.advance(1);
    }
  });

  it('gives a failure to all, and looks again after a second', async () => {
    const { clock, outcome } = open([new Error('full')]);
    expect(await Promise.all([outcome(), outcome()])).toEqual(['Error: full', 'Error: full']);
    await clock.advance(1_000);
    expect(await outcome()).toBe('ok');
  });

  it('does not ask again while it has no answer', async () => {
    let answer = (): void => undefined;
    const { clock, outcome, asked } = open([new Promise((resolve) => (answer = resolve))]);
    const first = outcome();
    await clock.advance(60_000);
    const second = outcome();
    answer();
    expect([await first, await second, asked()]).toEqual(['ok', 'ok', 1]);
  });
});
