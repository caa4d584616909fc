import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { callPoints } from '../../support/crash/call-crash-points.js';
import { CrashSeries } from '../../support/crash/crash-series.js';

/** The deadline has a clock of its own in `crash-points`. */
const { late: _late, ...points } = callPoints;

describe('kill -9 at a line of the way of a turn of a local model', () => {
  const series = new CrashSeries({
    points,
    kills: 1,
    environment: {
      TURNPIKE_PROVIDER_PROFILE: 'llama.cpp',
      TURNPIKE_MODEL: 'claude-sonnet-5-5',
      TURNPIKE_PROVIDER_KEY: 'a-key-of-its-own',
    },
  });
  beforeAll(() => series.open(), 60_000);
  afterAll(() => series.close());

  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
