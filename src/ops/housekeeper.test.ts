import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '../../test/support/silent-logger.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { Housekeeper, type Chore } from './housekeeper.js';

function open(...chores: Chore[]) {
  const clock = new ManualClock();
  return { clock, keeper: new Housekeeper(chores, { clock, logger: silentLogger }) };
}

describe('Housekeeper', () => {
  it('does every chore in every round, also after one that failed', async () => {
    const done: string[] = [];
    const chore = (name: string, fails = false): Chore => ({
      name,
      run: async () => {
        done.push(name);
        if (fails) throw new Error('not now');
      },
    });
    const { clock, keeper } = open(chore('a', true), chore('b'));
    keeper.start();
    expect(done).toEqual([]);
    await clock.advance(10_000);
    expect(done).toEqual(['a', 'b']);
    await clock.advance(10_000);
    expect(done).toEqual(['a', 'b', 'a', 'b']);
    await keeper.stop();
    await clock.advance(20_000);
    expect(done).toHaveLength(4);
  });

  it('waits at its end for the chore that runs, and begins no other', async () => {
    const done: string[] = [];
    let finish = (): void => undefined;
    const slow: Chore = {
      name: 'slow',
      run: () => new Promise<void>((resolve) => (finish = resolve)).then(() => done.push('slow')),
    };
    const { clock, keeper } = open(slow, { name: 'next', run: async () => done.push('next') });
    keeper.start();
    await clock.advance(10_000);
    const stopped = keeper.stop();
    finish();
    await stopped;
    expect(done).toEqual(['slow']);
  });
});
