import { describe, expect, it } from '@jest/globals';
import type { Choice } from './choose-fairly.js';
import { FairChoice } from './fair-choice.js';

/** Chooses from a list, when the test releases it. */
function gatedChoice(queued: string[]) {
  const asked: Choice[] = [];
  let go = (): void => undefined;
  let gate = new Promise<void>((resolve) => (go = resolve));
  const choice = new FairChoice(async (asking) => {
    asked.push(asking);
    await gate;
    return queued.filter((id) => !asking.taken.includes(id)).slice(0, asking.most);
  });
  const release = (): void => {
    go();
    gate = Promise.resolve();
  };
  return { choice, asked, release };
}

describe('FairChoice', () => {
  it('serves all who ask during a choice with the next one, each with a turn of its own', async () => {
    const { choice, asked, release } = gatedChoice(['a', 'b', 'c', 'd']);
    const chosen = Array.from({ length: 4 }, () => choice.next());
    release();
    expect(await Promise.all(chosen)).toEqual(['a', 'b', 'c', 'd']);
    expect(asked).toEqual([
      { most: 1, taken: [] },
      { most: 3, taken: ['a'] },
    ]);
  });

  it('keeps out what was chosen until `done` is called', async () => {
    const { choice, asked, release } = gatedChoice(['a']);
    release();
    expect(await choice.next()).toBe('a');
    expect(await choice.next()).toBeUndefined();
    choice.done('a');
    expect(await choice.next()).toBe('a');
    expect(asked.map(({ taken }) => taken)).toEqual([[], ['a'], []]);
  });

  it('fails for those who asked, and goes on', async () => {
    let isDown = true;
    const choice = new FairChoice(async () => {
      if (isDown) throw new Error('the database is away');
      return ['a'];
    });
    await expect(choice.next()).rejects.toThrow('away');
    isDown = false;
    expect(await choice.next()).toBe('a');
  });
});
