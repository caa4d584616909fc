import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { someFacts, someReading } from '../../../../test/support/turn/some-facts.js';
import { contextUsage, resourceUsage, thresholdsCrossed } from './usage.js';

const window = 200_000;

/** The marks that are due at the last of some samples; the first is from before the turn. */
function contextMarks(...percents: number[]): string[] {
  const readings = percents.map((contextPercent) => someReading({ contextPercent }));
  const tokens = ((percents.at(-1) ?? 0) * window) / 100;
  const facts = someFacts({ readings, context: { tokens, window } });
  return contextUsage.check(facts).map(({ mark }) => mark);
}

describe('context-usage', () => {
  it.each<[string, number[], string[]]>([
    ['under every mark', [0, 69], []],
    ['at 70 %', [0, 70], ['context-usage:70#1']],
    ['at 84 %', [0, 84], ['context-usage:70#1']],
    ['at 85 %', [0, 85], ['context-usage:85#1']],
    ['at 94 %', [0, 94], ['context-usage:85#1']],
    ['at 95 %', [0, 95], ['context-usage:95#1']],
    ['from 60 to 97 %: the highest mark only', [60, 97], ['context-usage:95#1']],
    ['from 79 to 91 %: one mark', [0, 79, 91], ['context-usage:85#1']],
    ['the step after: the same mark', [0, 86, 88], ['context-usage:85#1']],
    ['fallen by less than ten points, and back', [0, 86, 77, 86], ['context-usage:85#1']],
    ['fallen by more, and back', [0, 86, 40, 86], ['context-usage:85#2']],
  ])('%s', (_name, percents, marks) => {
    expect(contextMarks(...percents)).toEqual(marks);
  });

  it('says how much is in use, rounded down, and what to do', () => {
    const readings = [60, 85.5].map((contextPercent) => someReading({ contextPercent }));
    const [notice] = contextUsage.check(
      someFacts({ readings, context: { tokens: 171_000, window } }),
    );
    expect(notice).toMatchObject({
      text: expect.stringMatching(
        /^85% of the context window .*\(171,000 of 200,000 tokens\)\. Read less/,
      ),
      metadata: { current_value: 171_000, limit_value: 200_000, percent: 85, mark: 85 },
      seenByModel: true,
    });
  });

  it('asks for an end at the last mark', () => {
    const readings = [60, 96].map((contextPercent) => someReading({ contextPercent }));
    const [notice] = contextUsage.check(
      someFacts({ readings, context: { tokens: 192_000, window } }),
    );
    expect(notice?.text).toContain('Finish now');
  });
});

describe('resource-usage', () => {
  const [memory, disk] = ['resource-usage:memory#1', 'resource-usage:disk#1'];

  it.each<[string, number[], number[], string[]]>([
    ['under the mark', [0, 84.9], [0, 84.9], []],
    ['memory at the mark', [0, 85], [0, 0], [memory]],
    ['disk at the mark', [0, 0], [0, 85], [disk]],
    ['both', [0, 90], [0, 90], [memory, disk]],
    ['the step after', [0, 90, 91], [0, 0, 0], [memory]],
    ['one and then the other', [0, 90, 90], [0, 0, 90], [memory, disk]],
    ['fallen by less than ten points, and back', [0, 90, 76, 90], [0, 0, 0, 0], [memory]],
    ['fallen by more, and back', [0, 90, 70, 90], [0, 0, 0, 0], ['resource-usage:memory#2']],
  ])('%s', (_name, ofMemory, ofDisk, marks) => {
    const readings = ofMemory.map((memoryPercent, index) =>
      someReading({ memoryPercent, diskPercent: ofDisk[index] ?? 0 }),
    );
    expect(resourceUsage.check(someFacts({ readings })).map(({ mark }) => mark)).toEqual(marks);
  });

  it('says what runs out', () => {
    const readings = [0, 91.7].map((diskPercent) => someReading({ diskPercent }));
    expect(resourceUsage.check(someFacts({ readings }))).toMatchObject([
      {
        text: expect.stringMatching(/^91% of the project's disk/),
        metadata: { resource: 'disk', percent: 91 },
      },
    ]);
  });
});

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
