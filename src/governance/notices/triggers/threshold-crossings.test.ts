import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { thresholdsCrossed } from './usage.js';

const marks = [70, 85, 95];

/** The crossings of a series of readings, as `mark#time`, without repetitions. */
function crossings(...readings: number[]): string[] {
  const crossed = readings.map((_, index) => {
    const risen = thresholdsCrossed(readings.slice(0, index + 1), marks);
    return risen === undefined ? '' : `${risen.mark}#${risen.time}`;
  });
  return [...new Set(crossed)].filter((mark) => mark !== '');
}

describe('risenTo', () => {
  it.each<[number[], string[]]>([
    [[0, 69.9], []],
    [[0, 70], ['70#1']],
    [[0, 84.9], ['70#1']],
    [[0, 85], ['85#1']],
    [[0, 95], ['95#1']],
    [[97], ['95#1']],
    [[60, 97, 90, 86], ['95#1']],
    [
      [0, 70, 71, 84, 85],
      ['70#1', '85#1'],
    ],
    // The mark is re-armed ten points below it, and not before.
    [[0, 70, 61, 70], ['70#1']],
    [
      [0, 70, 60, 70],
      ['70#1', '70#2'],
    ],
    [
      [0, 96, 85, 96],
      ['95#1', '95#2'],
    ],
    [[0, 96, 86, 96], ['95#1']],
    [
      [0, 96, 10, 72, 88, 96],
      ['95#1', '70#1', '85#1', '95#2'],
    ],
  ])('%j says %j', (readings, expected) => {
    expect(crossings(...readings)).toEqual(expected);
  });

  it('keeps what it rose to until it is reported', () => {
    expect(thresholdsCrossed([0, 90, 91, 92], marks)).toEqual({ mark: 85, time: 1 });
  });

  it('says the mark of a rise, and only of one', () => {
    const anyReading = fc.integer({ min: 0, max: 100 });
    fc.assert(
      fc.property(fc.array(anyReading, { maxLength: 40 }), (readings) => {
        const highest = Math.max(0, ...readings);
        expect(crossings(0, ...readings).length > 0).toBe(highest >= 70);
      }),
    );
  });
});
