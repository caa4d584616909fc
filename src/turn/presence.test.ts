import { beforeEach, describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/support/manual-clock.js';
import { Presence } from './presence.js';

describe('Presence', () => {
  let clock: ManualClock;
  let abandoned: string[];
  let presence: Presence;
  beforeEach(() => {
    clock = new ManualClock();
    abandoned = [];
    presence = new Presence(clock, 5_000, (turnId) => abandoned.push(turnId));
  });

  it('gives a turn up when its last reader has been gone for the grace', async () => {
    const leave = presence.join('a');
    await clock.advance(60_000);
    leave();
    await clock.advance(4_999);
    expect(abandoned).toEqual([]);
    await clock.advance(1);
    expect(abandoned).toEqual(['a']);
    expect(clock.pending).toBe(0);
  });

  it('waits for the last of several', async () => {
    const first = presence.join('a');
    const second = presence.join('a');
    first();
    await clock.advance(60_000);
    expect(abandoned).toEqual([]);
    second();
    await clock.advance(5_000);
    expect(abandoned).toEqual(['a']);
  });

  it('starts over when a reader comes back within the grace', async () => {
    presence.join('a')();
    await clock.advance(4_000);
    const leave = presence.join('a');
    await clock.advance(10_000);
    leave();
    await clock.advance(4_999);
    expect(abandoned).toEqual([]);
  });

  it('gives up a turn whose expected reader never came', async () => {
    presence.expect('a');
    await clock.advance(5_000);
    expect(abandoned).toEqual(['a']);
  });

  it('does not start a grace while somebody reads', async () => {
    presence.join('a');
    presence.expect('a');
    await clock.advance(60_000);
    expect(abandoned).toEqual([]);
  });

  it('keeps nothing of a turn that has ended, also when a reader leaves late', async () => {
    const leave = presence.join('a');
    presence.forget('a');
    leave();
    await clock.advance(60_000);
    expect(abandoned).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('keeps turns apart', async () => {
    presence.join('a')();
    presence.join('b');
    await clock.advance(5_000);
    expect(abandoned).toEqual(['a']);
  });
});
