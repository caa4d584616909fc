import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'drizzle-orm';
import { slotSettled, takeOver } from '../support/crash/crash-lines.js';
import type { CrashScene } from '../support/crash/crash-scene.js';
import { CrashSeries, type CrashPoint } from '../support/crash/crash-series.js';
import { expectSoon } from '../support/expect-soon.js';
import { minutesAgo, type Run } from '../support/schedules/schedule-scene.js';

const base = '/api/harness/schedules';

/** Puts a schedule whose slot comes while no process is alive. */
async function put(scene: CrashScene): Promise<void> {
  const body = JSON.stringify({
    cron: '0 0 1 1 *',
    tz: 'UTC',
    session: 'new',
    agent: 'SHELL',
    projectRoot: scene.projectRoot,
    message: `${scene.command()} (${scene.tag})`,
    opts: { tools: ['bash'] },
  });
  const headers = { 'content-type': 'application/json' };
  const { status } = await scene.client.request('PUT', `${base}/${scene.tag}`, { body, headers });
  expect(status).toBe(200);
}

const runsOf = async (scene: CrashScene): Promise<Run[]> => {
  const { body } = await scene.client.get(`${base}/${scene.tag}/runs`);
  return body['runs'] as Run[];
};

/** The slot has one run, whose turn ran its command once and ended. */
async function expectOnce(scene: CrashScene): Promise<void> {
  await expectSoon(async () =>
    expect(await runsOf(scene)).toMatchObject([{ outcome: 'submitted', turnStatus: 'completed' }]),
  );
  expect(await scene.runs()).toBe(1);
  // A crash leaves no session behind that no turn is in.
  await expectSoon(async () => {
    const { body } = await scene.client.get('/api/harness/sessions?limit=200');
    expect(body['sessions']).toHaveLength(Object.keys(points).length);
  });
}

const points: Record<string, CrashPoint> = {
  unlooked: {
    line: 'before it looks for the slot: the next process submits the turn, once',
    async *play(scene) {
      await put(scene);
      yield;
      yield;
      await expectOnce(scene);
    },
  },
  unstored: {
    line: 'with the slot claimed, before the transaction of its turn: the next process submits it, once',
    stops: [slotSettled],
    async *play(scene) {
      await put(scene);
      yield;
      await scene.stopped();
      expect(await runsOf(scene)).toEqual([]);
      expect(await scene.runs()).toBe(0);
      yield;
      await expectOnce(scene);
    },
  },
  unclaimed: {
    line: 'after the transaction of its turn, before a worker has it: the turn runs once, the slot is past',
    stops: [takeOver],
    async *play(scene) {
      await put(scene);
      yield;
      await expectSoon(async () =>
        expect(await runsOf(scene)).toMatchObject([{ outcome: 'submitted' }]),
      );
      yield;
      await expectOnce(scene);
    },
  },
};

describe('kill -9 of a process that has a slot to see to', () => {
  const series = new CrashSeries({
    points,
    kills: 2,
    // Slots come while no process is alive, and the leases of the dead are over.
    meanwhile: (db, isLast) =>
      db.execute(
        sql`update schedules set leased_until = null,
          next_at = case when (key = 'unlooked') = ${isLast}
            then ${minutesAgo(0).toISOString()}::timestamptz else next_at end`,
      ),
  });
  beforeAll(() => series.open(), 300_000);
  afterAll(() => series.close());

  it.each(Object.keys(points).map((tag) => [points[tag]?.line, tag] as const))('%s', (_line, tag) =>
    series.finish(tag),
  );
});
