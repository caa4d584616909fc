import { beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { scheduleRuns, schedules } from '../../../src/storage/automation-schema.js';
import { sessions, turns } from '../../../src/storage/schema.js';
import { ScheduleRunner } from '../../../src/features/schedules/schedule-runner.js';
import { ScheduleRunStore, RunTaken } from '../../../src/features/schedules/schedule-run-store.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { minutesAgo, ScheduleScene } from '../../support/schedules/schedule-scene.js';
import { startReceiver, verify } from '../../support/webhooks/start-receiver.js';
import { useShared } from '../../support/suite.js';

describe('schedules', () => {
  let secret: string;
  const receiver = useShared(startReceiver);
  const server = useServer({
    environment: { TURNPIKE_WEBHOOK_PRIVATE_HOSTS: '127.0.0.1:*', TURNPIKE_SESSION_QUEUE: '2' },
  });
  const scene = useShared(() => new ScheduleScene(server));
  beforeAll(async () => {
    const made = await server.client.post('/api/harness/webhooks', {
      url: receiver.url,
      events: ['schedule.missed', 'schedule.paused'],
    });
    secret = String(made.body['secret']);
  });
  const turnsOf = (sessionId: string) =>
    server.db.select().from(turns).where(eq(turns.sessionId, sessionId));
  const eventsOf = (key: string) =>
    receiver.received.filter(({ body }) => body.data['key'] === key).map(({ body }) => body.type);

  it('submit a turn in a session of its own when a fire time comes, and move to the next', async () => {
    const { id } = await scene.put('own', { message: 'Count to three', opts: { maxTurns: 3 } });
    const fireAt = minutesAgo(0);
    await scene.comes('own', fireAt);
    const run = await scene.ended('own', 'completed');
    expect(run).toMatchObject({ cause: 'slot', slot: fireAt.toISOString(), outcome: 'submitted' });
    const [turn, ...others] = await turnsOf(run.sessionId ?? '');
    expect(others).toEqual([]);
    expect(turn).toMatchObject({
      id: run.turnId,
      principalId: 'local',
      idempotencyKey: `sched:${String(id)}:${fireAt.toISOString()}`,
      request: { message: 'Count to three', opts: { maxTurns: 3 } },
    });
    expect(turn?.options.options).toMatchObject({ maxTurns: 3, onDisconnect: 'continue' });
    const next = Date.UTC(new Date().getUTCFullYear() + 1, 0, 1);
    expect(await scene.get('own')).toMatchObject({ nextAt: new Date(next).toISOString() });
  });

  it('are late in the health of a process while nobody sees to a slot', async () => {
    const late = async () => (await server.client.get('/health')).body['schedule_late_seconds'];
    await scene.put('unseen');
    await expectSoon(async () => expect(await late()).toBe(0));
    await server.db
      .update(schedules)
      .set({ nextAt: minutesAgo(3), leasedUntil: new Date(Date.now() + 3_600_000) })
      .where(eq(schedules.key, 'unseen'));
    await expectSoon(async () => expect(await late()).toBeGreaterThanOrEqual(180));
    expect(await late()).toBeLessThan(600);
    await scene.call('DELETE', '/unseen');
  });

  it('submit all turns in one session where they name one', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    await scene.put('mine', { session: sessionId });
    await scene.comes('mine', minutesAgo(2));
    await scene.ended('mine', 'completed');
    await scene.comes('mine', minutesAgo(1));
    await scene.ran('mine', 2);
    await expectSoon(async () =>
      expect((await turnsOf(sessionId)).map(({ status }) => status)).toEqual([
        'completed',
        'completed',
      ]),
    );
  });

  it('run the newest fire time alone after an outage, and tell of the others once', async () => {
    await scene.put('late', { cron: '*/10 * * * *', catchUpMs: 3_600_000 });
    const last = Date.now() - (Date.now() % 600_000);
    const first = new Date(last - 86_400_000);
    await scene.comes('late', first);
    const runs = await scene.ran('late', 2);
    expect(runs.map(({ outcome }) => outcome).sort()).toEqual(['missed', 'submitted']);
    const submitted = runs.find(({ outcome }) => outcome === 'submitted');
    const missed = runs.find(({ outcome }) => outcome === 'missed');
    expect(new Date(submitted?.slot ?? 0).getTime()).toBeGreaterThanOrEqual(last);
    expect(missed).toMatchObject({ slot: first.toISOString(), turnId: null });
    expect(missed?.missed).toMatchObject({ until: submitted?.slot });
    expect([144, 145]).toContain(missed?.missed?.count);
    await expectSoon(() => expect(eventsOf('late')).toEqual(['schedule.missed']));
    const [request] = receiver.received.filter(({ body }) => body.data['key'] === 'late');
    if (request === undefined) throw new Error('Nothing was sent');
    expect(verify(request, secret)).toMatchObject({ data: { slot: first.toISOString() } });
  });

  it('run nothing that is older than the catch-up, and go on', async () => {
    await scene.put('old', { catchUpMs: 60_000 });
    await scene.comes('old', minutesAgo(3));
    expect(await scene.ran('old', 1)).toMatchObject([{ outcome: 'missed', missed: { count: 1 } }]);
    expect(String((await scene.get('old'))['nextAt'])).toMatch(/-01-01T00:00:00.000Z$/);
  });

  it('skip a fire time while the turn before has not ended', async () => {
    await scene.put('skips', { message: '[[stall=60000]]' });
    await scene.comes('skips', minutesAgo(2));
    const [first] = await scene.ran('skips', 1);
    await scene.comes('skips', minutesAgo(1));
    const [second] = await scene.ran('skips', 2);
    expect(second).toMatchObject({
      outcome: 'skipped',
      turnId: null,
      error: { type: 'TURN_IN_PROGRESS', message: expect.stringContaining(first?.turnId ?? '-') },
    });
    // A session that was to be made for the fire time is not there.
    const made = await server.db.$count(sessions, eq(sessions.id, String(second?.sessionId)));
    expect([second?.sessionId, made]).toEqual([null, 0]);
    await server.client.post(`/api/harness/turns/${first?.turnId}/interrupt`, {});
    await expectSoon(async () =>
      expect((await scene.runs('skips'))[1]).toMatchObject({ turnStatus: 'interrupted' }),
    );
    await scene.comes('skips', minutesAgo(0));
    const [third] = await scene.ran('skips', 3);
    expect(third).toMatchObject({ outcome: 'submitted' });
    await server.client.post(`/api/harness/turns/${third?.turnId}/interrupt`, {});
  });

  it.each([
    ['queueOne', ['running', 'held', 'TURN_IN_PROGRESS']],
    ['allow', ['running', 'held', 'held', 'SESSION_QUEUE_FULL']],
  ])(
    'with overlap %s hold turns behind the active one of their session',
    async (overlap, shown) => {
      const sessionId = await server.client.createSession(server.projectRoot);
      await scene.put(overlap, { session: sessionId, message: '[[stall=60000]]', overlap });
      for (const at of shown.keys()) {
        await scene.comes(overlap, minutesAgo(8 - at));
        await scene.ran(overlap, at + 1);
      }
      await expectSoon(async () =>
        expect(
          (await scene.runs(overlap))
            .reverse()
            .map(({ turnStatus, error }) => turnStatus ?? error?.type),
        ).toEqual(shown),
      );
      await scene.deleteSession(sessionId);
    },
  );

  it('pause after five failures in a row, and go on from now when they are resumed', async () => {
    const sessionId = await server.client.createSession(server.projectRoot);
    await scene.put('fails', { session: sessionId, message: '[[fail=400]]' });
    for (let run = 1; run <= 3; run += 1) {
      await scene.comes('fails', minutesAgo(9 - run));
      await scene.ran('fails', run);
      await expectSoon(async () =>
        expect((await scene.runs('fails'))[0]).toMatchObject({ error: null, turnStatus: 'failed' }),
      );
    }
    // The session is gone: refusals are failures too, and what was recorded stays.
    await scene.deleteSession(sessionId);
    expect(await scene.runs('fails')).toHaveLength(3);
    for (let run = 4; run <= 8; run += 1) {
      expect(await scene.get('fails')).toMatchObject({ pausedAt: null });
      await scene.comes('fails', minutesAgo(9 - run));
      await scene.ran('fails', run);
    }
    const [last] = await scene.runs('fails');
    expect(last).toMatchObject({ outcome: 'refused', error: { type: 'SESSION_NOT_FOUND' } });
    expect(await scene.get('fails')).toMatchObject({ nextAt: null, pauseReason: 'failures' });
    await expectSoon(() => expect(eventsOf('fails')).toEqual(['schedule.paused']));
    await scene.call('POST', '/fails/resume');
    const resumed = await scene.get('fails');
    expect(resumed).toMatchObject({ pausedAt: null, nextAt: expect.any(String) });
    expect(new Date(String(resumed['nextAt'])).getTime()).toBeGreaterThan(Date.now());
    // The failures before the pause count no more.
    await scene.comes('fails', minutesAgo(0));
    await scene.ran('fails', 9);
    expect(await scene.get('fails')).toMatchObject({ pausedAt: null });
  });

  it('pause before a run where the turns of the last five failed', async () => {
    await scene.put('broken', { message: '[[fail=400]]' });
    for (let run = 1; run <= 5; run += 1) {
      await scene.comes('broken', minutesAgo(9 - run));
      await scene.ran('broken', run);
      await expectSoon(async () =>
        expect((await scene.runs('broken'))[0]).toMatchObject({ turnStatus: 'failed' }),
      );
    }
    await scene.comes('broken', minutesAgo(0));
    const [last] = await scene.ran('broken', 6);
    expect(last).toMatchObject({ outcome: 'skipped', error: { type: 'SCHEDULE_PAUSED' } });
    expect(await scene.get('broken')).toMatchObject({ pauseReason: 'failures' });
  });

  it('do not lose their fire time when they are put again as they are', async () => {
    await scene.put('again');
    const fireAt = minutesAgo(0);
    const at = { nextAt: fireAt };
    await server.db.update(schedules).set(at).where(eq(schedules.key, 'again'));
    expect(await scene.put('again', { message: 'Other' })).toMatchObject({
      message: 'Other',
      nextAt: fireAt.toISOString(),
    });
    await scene.comes('again', fireAt);
    await scene.ended('again', 'completed');
  });

  it('store nothing for a fire time that another process settled, or whose schedule was changed', async () => {
    await scene.put('raced');
    const at = { nextAt: minutesAgo(0) };
    await server.db.update(schedules).set(at).where(eq(schedules.key, 'raced'));
    const [claimed] = await server.db.select().from(schedules).where(eq(schedules.key, 'raced'));
    if (claimed === undefined) throw new Error('There is no schedule');
    const runner = server.get(ScheduleRunner);
    await scene.put('raced', { message: 'Changed' });
    await runner.run(claimed);
    expect(await scene.runs('raced')).toEqual([]);
    const [changed] = await server.db.select().from(schedules).where(eq(schedules.key, 'raced'));
    if (changed === undefined) throw new Error('There is no schedule');
    await Promise.all([runner.run(changed), runner.run(changed), runner.run(changed)]);
    expect(await scene.runs('raced')).toMatchObject([{ outcome: 'submitted' }]);
    expect(await server.db.$count(scheduleRuns, eq(scheduleRuns.scheduleId, changed.id))).toBe(1);
    const made = await server.db.$count(turns, eq(turns.requestHash, await hashOf(changed.id)));
    expect(made).toBe(1);
  });

  const hashOf = async (scheduleId: string): Promise<string> => {
    const [run] = await server.db
      .select({ hash: turns.requestHash })
      .from(scheduleRuns)
      .innerJoin(turns, eq(turns.id, scheduleRuns.turnId))
      .where(eq(scheduleRuns.scheduleId, scheduleId));
    return run?.hash ?? '';
  };

  it('are claimed by one process at a time', async () => {
    await scene.put('claimed');
    const at = { nextAt: minutesAgo(0), leasedUntil: null };
    await server.db.update(schedules).set(at).where(eq(schedules.key, 'claimed'));
    const store = server.get(ScheduleRunStore);
    const claims = await Promise.all(Array.from({ length: 5 }, () => store.claim(10)));
    expect(claims.flat().filter(({ key }) => key === 'claimed')).toHaveLength(1);
  });

  it('that were deleted take no trigger, which is then answered with 404', async () => {
    const outcome = {
      outcome: 'skipped',
      error: { type: 'TURN_IN_PROGRESS', message: 'busy' },
    } as const;
    const trigger = server.db.transaction((tx) =>
      server
        .get(ScheduleRunStore)
        .triggerIn(tx, { id: 'schedule_gone' }, { ...outcome, triggerKey: 'k' }),
    );
    await expect(trigger).rejects.toThrow(RunTaken);
  });
});
