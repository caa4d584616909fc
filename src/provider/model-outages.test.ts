import { describe, expect, it } from '@jest/globals';
import { ModelOutages } from './model-outages.js';

describe('a model that does not answer', () => {
  const open = () => {
    const clock = { at: 0, now: () => clock.at };
    return { clock, outages: new ModelOutages(clock) };
  };

  it('is out for half a minute, then one turn tries it', () => {
    const { clock, outages } = open();
    expect(outages.isOut('a')).toBe(false);
    outages.failed('a');
    expect([outages.isOut('a'), outages.isOut('b')]).toEqual([true, false]);
    clock.at = 30_000;
    expect([outages.isOut('a'), outages.isOut('a')]).toEqual([false, true]);
  });

  it('is out for longer each time, up to five minutes', () => {
    const { clock, outages } = open();
    const outMs = Array.from({ length: 6 }, () => {
      outages.failed('a');
      const since = clock.at;
      while (outages.isOut('a')) clock.at += 1_000;
      return clock.at - since;
    });
    expect(outMs).toEqual([30_000, 60_000, 120_000, 240_000, 300_000, 300_000]);
  });

  it('is out once for all calls that were under way', () => {
    const { clock, outages } = open();
    for (let call = 0; call < 100; call += 1) outages.failed('a');
    clock.at = 30_000;
    expect(outages.isOut('a')).toBe(false);
  });

  it('is back as soon as it answers', () => {
    const { outages } = open();
    outages.failed('a');
    outages.answered('a');
    expect(outages.isOut('a')).toBe(false);
  });
});
