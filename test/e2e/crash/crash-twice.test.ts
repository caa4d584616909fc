import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { askingPoints } from '../../support/crash/asking-crash-points.js';
import { CrashSeries } from '../../support/crash/crash-series.js';
import { letFireTimesCome, schedulePoints } from '../../support/crash/schedule-crash-points.js';

/** Sessions of the series: each of its points has one. */
const SESSIONS = 7;

const groups = {
  'of a call that must not run twice, where people are asked': askingPoints,
  'of a process that has a fire time to see to': schedulePoints(SESSIONS),
};

const series = new CrashSeries({
  points: Object.fromEntries(Object.values(groups).flatMap((points) => Object.entries(points))),
  kills: 2,
  environment: { TURNPIKE_UNKNOWN_CALLS: 'ask' },
  meanwhile: letFireTimesCome,
});
beforeAll(() => series.open(), 300_000);
afterAll(() => series.close());

describe.each(Object.entries(groups))('kill -9 %s', (_group, points) => {
  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
