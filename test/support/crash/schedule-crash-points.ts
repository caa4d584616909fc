import { expect } from '@jest/globals';
import { sql } from 'drizzle-orm';
import type { Database } from '../../../src/storage/connection.js';
import { expectSoon } from '../expect-soon.js';
import { minutesAgo, type Run } from '../schedules/schedule-scene.js';
import { runSettled, takeOver } from './crash-lines.js';
import type { CrashScene } from './crash-scene.js';
import type { CrashPoint } from './crash-series.js';

const base = '/api/harness/schedules';

/** Puts a schedule whose fire time comes while no process is alive. */
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

/** The fire time has one run, whose turn ran its command once and ended. */
async function expectOnce(scene: CrashScene, sessions: number): Promise<void> {
  await expectSoon(async () =>
    expect(await runsOf(scene)).toMatchObject([{ outcome: 'submitted', turnStatus: 'completed' }]),
  );
  expect(await scene.runs()).toBe(1);
  // A crash leaves no session behind that no turn is in.
  await expectSoon(async () => {
    const { body } = await scene.client.get('/api/harness/sessions?limit=200');
    expect(body['sessions']).toHaveLength(sessions);
  });
}

/** Has fire times come while no process is alive; the leases of the dead are over. */
export const letFireTimesCome = (db: Database, isLast: boolean): Promise<unknown> =>
  db.execute(
    sql`update schedules set leased_until = null,
      next_at = case when (key = 'unlooked') = ${isLast}
        then ${minutesAgo(0).toISOString()}::timestamptz else next_at end`,
  );

/** Lines of a slot of a schedule, for two kills. @param sessions of all points of the series. */
export function schedulePoints(sessions: number): Readonly<Record<string, CrashPoint>> {
  return {
    unlooked: {
      line: 'before it looks for the fire time: the next process submits the turn, once',
      async *play(scene) {
        await put(scene);
        yield;
        yield;
        await expectOnce(scene, sessions);
      },
    },
    unstored: {
      line: 'with the fire time claimed, before the transaction of its turn: the next process submits it, once',
      stops: [runSettled],
      async *play(scene) {
        await put(scene);
        yield;
        await scene.stopped();
        expect(await runsOf(scene)).toEqual([]);
        expect(await scene.runs()).toBe(0);
        yield;
        await expectOnce(scene, sessions);
      },
    },
    unclaimed: {
      line: 'after the transaction of its turn, before a worker has it: the turn runs once, the fire time is past',
      stops: [takeOver],
      async *play(scene) {
        await put(scene);
        yield;
        await expectSoon(async () =>
          expect(await runsOf(scene)).toMatchObject([{ outcome: 'submitted' }]),
        );
        yield;
        await expectOnce(scene, sessions);
      },
    },
  };
}
