import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eq, sql } from 'drizzle-orm';
import { ScheduleTicker } from '../../src/features/schedules/schedule-ticker.js';
import { ScheduleRunner } from '../../src/features/schedules/schedule-runner.js';
import { scheduleRuns, schedules } from '../../src/storage/automation-schema.js';
import { sessions, turns } from '../../src/storage/schema.js';
import { expectSoon } from '../support/expect-soon.js';
import { startServer, type TestServer } from '../support/processes/start-server.js';
import { minutesAgo, ScheduleScene } from '../support/schedules/schedule-scene.js';

const COUNT = 40;

describe('several processes over one database', () => {
  const servers: TestServer[] = [];
  let scene: ScheduleScene;
  beforeAll(async () => {
    const first = await startServer();
    servers.push(first);
    for (let n = 1; n < 4; n += 1) servers.push(await startServer({ store: first.store }));
    scene = new ScheduleScene(first);
    const sessionId = await first.client.createSession(first.projectRoot);
    for (let n = 0; n < COUNT; n += 1) {
      // Some share a session, whose lock the fire times meet at.
      const shared = { session: sessionId, overlap: 'allow' };
      await scene.put(`s${n}`, n % 8 === 0 ? shared : {});
    }
  });
  afterAll(async () => {
    for (const server of servers.reverse()) await server.close();
  });

  const db = () => servers[0]?.db ?? Promise.reject(new Error('There is no server'));

  /** Why fire times were left to the end of their lease: the reason, where one has no run yet. */
  const left = () =>
    servers.flatMap(({ logLines }) =>
      logLines.filter((line) => line.includes('could not run a due schedule')),
    );

  /** Each schedule has as many runs as fire times have come, each with a turn and no session without one. */
  const expectRuns = async (each: number): Promise<void> => {
    const database = await db();
    await expectSoon(async () =>
      expect([await database.$count(scheduleRuns), left()]).toEqual([COUNT * each, []]),
    );
    const runs = await database.select().from(scheduleRuns);
    expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(new Set(['submitted']));
    const keys = await database
      .select({ key: turns.idempotencyKey })
      .from(turns)
      .where(sql`${turns.idempotencyKey} like 'sched:%'`);
    expect(keys).toHaveLength(COUNT * each);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(COUNT * each);
    const made = COUNT - COUNT / 8;
    expect(await database.$count(sessions)).toBe(made * each + 1);
  };

  it('submit each of many fire times that come at once exactly once', async () => {
    const database = await db();
    await database.update(schedules).set({ nextAt: minutesAgo(1) });
    for (const { get } of servers) get(ScheduleTicker).start();
    await expectRuns(1);
  });

  it('submit a fire time once that all of them hold at once, as after a lease that was lost', async () => {
    const database = await db();
    await expectSoon(async () =>
      expect(await database.$count(turns, sql`${turns.endedAt} is null`)).toBe(0),
    );
    const fireAt = minutesAgo(0);
    const held = await database
      .update(schedules)
      .set({ nextAt: fireAt, leasedUntil: new Date(Date.now() + 600_000) })
      .returning();
    // All of them at one fire time, and then at the next.
    await Promise.all(
      servers.map(async ({ get }) => {
        for (const schedule of held) await get(ScheduleRunner).run(schedule);
      }),
    );
    await expectRuns(2);
    const settled = await database
      .select()
      .from(scheduleRuns)
      .where(eq(scheduleRuns.fireAt, fireAt));
    expect(settled).toHaveLength(COUNT);
  });
});
