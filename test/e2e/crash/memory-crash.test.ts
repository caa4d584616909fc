import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { CrashSeries } from '../../support/crash/crash-series.js';
import { memoryPoints } from '../../support/crash/memory-crash-points.js';

describe('kill -9 at a line of a write to the memory: it takes effect once, and its result is known', () => {
  const series = new CrashSeries({ points: memoryPoints, kills: 1 });
  beforeAll(() => series.open(), 300_000);
  afterAll(() => series.close());

  it.each(Object.entries(memoryPoints).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
