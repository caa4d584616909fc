import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { approvals } from '../../../src/storage/governance-schema.js';
import { busyPoints } from '../../support/crash/busy-crash-points.js';
import { callPoints } from '../../support/crash/call-crash-points.js';
import { outputPoints } from '../../support/crash/output-crash-points.js';
import { CrashSeries, type CrashPoint } from '../../support/crash/crash-series.js';

/** Each point has sessions of its own; its name is the tag of its turns. */
const points: Record<string, CrashPoint> = { ...busyPoints, ...outputPoints, ...callPoints };

describe('kill -9 at a line of a turn’s way', () => {
  const series = new CrashSeries({
    points,
    kills: 1,
    meanwhile: async (db) => {
      const expiresAt = new Date(0);
      await db
        .update(approvals)
        .set({ expiresAt })
        .where(sql`turn_id in (select id from turns where strpos(request::text, '(late)') > 0)`);
    },
  });
  beforeAll(() => series.open(), 300_000);
  afterAll(() => series.close());

  it.each(Object.entries(points).map(([tag, { line }]) => [line, tag]))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
