import { beforeAll, describe, expect, it } from '@jest/globals';
import { eq } from 'drizzle-orm';
import { auditLog } from '../../../src/storage/governance-schema.js';
import { schedules } from '../../../src/storage/automation-schema.js';
import { turns } from '../../../src/storage/schema.js';
import { makeKey } from '../../support/clients/keyed-client.js';
import { expectSoon } from '../../support/expect-soon.js';
import { useServer } from '../../support/processes/start-server.js';
import { minutesAgo, ScheduleScene } from '../../support/schedules/schedule-scene.js';

const daily = { cron: '0 9 * * *', tz: 'Europe/Berlin', session: 'new', message: 'Hello' };

describe('the routes of schedules', () => {
  let scene: ScheduleScene;
  let other: ScheduleScene;
  let otherSession: string;
  const keyed = async (body: Record<string, unknown>) => {
    const { id, secret } = await makeKey(server, body);
    return { id, scene: new ScheduleScene(server, secret) };
  };
  const server = useServer({ environment: { TURNPIKE_SCHEDULES_PER_PRINCIPAL: '8' } });
  beforeAll(async () => {
    otherSession = await server.client.createSession(server.projectRoot);
    ({ scene } = await keyed({ principal: 'ann' }));
    ({ scene: other } = await keyed({ principal: 'bob' }));
  });

  it('give a schedule as it was put, with its next time, and list it', async () => {
    const schedule = await scene.put('report', {
      ...daily,
      cron: ' 0  9 * * mon-fri ',
      opts: { maxTurns: 3 },
      overlap: 'allow',
      catchUpMs: 0,
    });
    expect(schedule).toEqual({
      id: expect.stringMatching(/^sched_/),
      key: 'report',
      cron: '0 9 * * mon-fri',
      tz: 'Europe/Berlin',
      session: 'new',
      agent: null,
      projectRoot: null,
      message: 'Hello',
      opts: { maxTurns: 3 },
      overlap: 'allow',
      catchUpMs: 0,
      nextAt: expect.stringMatching(/T0[78]:00:00\.000Z$/),
      pausedAt: null,
      pauseReason: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect(await scene.get('report')).toEqual(schedule);
    expect((await scene.call('GET', '')).body).toEqual({ schedules: [schedule] });
    expect((await other.call('GET', '')).body).toEqual({ schedules: [] });
  });

  it('make a new one for one of several that ask for it at once, and replace none', async () => {
    const put = (message: string, noneMatch = '*') =>
      other.call('PUT', '/mine', { ...daily, message }, { 'if-none-match': noneMatch });
    const answers = await Promise.all(['a', 'b', 'c'].map((message) => put(message)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 412);
    const exists = { type: 'SCHEDULE_EXISTS', details: { key: 'mine', param: 'key' } };
    expect(refused.map(({ body }) => body)).toMatchObject([{ error: exists }, { error: exists }]);
    const made = answers.find(({ status }) => status === 200)?.body['schedule'];
    expect(await other.get('mine')).toEqual(made);
    expect((await put('d', '"7"')).body).toMatchObject({ error: { type: 'INVALID_REQUEST' } });
    await other.call('DELETE', '/mine');
  });

  it('replace a schedule of the same key, and change parts of one', async () => {
    const { id } = await scene.put('parts', daily);
    expect(await scene.put('parts', { ...daily, message: 'Other' })).toMatchObject({
      id,
      message: 'Other',
    });
    const { body } = await scene.call('PATCH', '/parts', { tz: 'Asia/Tokyo', overlap: 'allow' });
    expect(body['schedule']).toMatchObject({
      id,
      message: 'Other',
      tz: 'Asia/Tokyo',
      overlap: 'allow',
      nextAt: expect.stringMatching(/T00:00:00\.000Z$/),
    });
    expect((await scene.call('PATCH', '/parts', {})).status).toBe(400);
    expect((await scene.call('DELETE', '/parts')).body).toMatchObject({ schedule: { id } });
    expect((await scene.call('DELETE', '/parts')).status).toBe(404);
  });

  it('show the next times by the clock of the zone', async () => {
    await scene.put('times', daily);
    const { body } = await scene.call('GET', '/times/upcoming?count=3');
    const upcoming = body['upcoming'] as { at: string; local: string }[];
    expect(upcoming.map(({ local }) => local.slice(10))).toEqual(['T09:00', 'T09:00', 'T09:00']);
    expect((await scene.get('times'))['nextAt']).toBe(upcoming[0]?.at);
    expect((await scene.call('GET', '/times/upcoming?count=101')).status).toBe(400);
  });

  it.each<[string, object, RegExp, string | undefined]>([
    ['no zone', { tz: undefined }, /'tz'/, 'tz'],
    ['a zone that is none', { tz: 'Mars/Olympus' }, /'tz' must be a time zone/, 'tz'],
    ['six fields', { cron: '0 0 9 * * *' }, /'cron' must have five fields/, 'cron'],
    ['a date that never comes', { cron: '0 0 30 2 *' }, /never comes/, 'cron'],
    ['an overlap that is none', { overlap: 'cancel' }, /'overlap'/, 'overlap'],
    ['a queue for new sessions', { overlap: 'queueOne' }, /the id of a 'session'/, 'overlap'],
    ['a catch-up of two days', { catchUpMs: 172_800_000 }, /'catchUpMs'/, 'catchUpMs'],
    ['no message', { message: undefined }, /'message'/, 'message'],
    ['an empty message', { message: ' ' }, /'message'/, 'message'],
    ['options that are none', { opts: [] }, /'opts'/, 'opts'],
    ['a busy policy', { opts: { onBusy: 'steer' } }, /is not allowed in a schedule/, 'opts.onBusy'],
    ['a field that is none', { timezone: 'UTC' }, /timezone/, 'timezone'],
    ['a folder that is not open', { projectRoot: '/etc' }, /\/etc/, undefined],
    ['an agent that is none', { agent: 'NOBODY' }, /NOBODY/, undefined],
  ])('refuse %s, name the field, and keep what was there', async (_what, change, words, param) => {
    const before = await scene.put('kept', daily);
    const { status, body } = await scene.call('PUT', '/kept', { ...daily, ...change });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    const error = body['error'] as { message: string; details?: { param?: string } };
    expect(error.message).toMatch(words);
    expect(error.details?.param).toBe(param);
    expect(await scene.get('kept')).toEqual(before);
  });

  it('refuse a session of somebody else as one that is not there', async () => {
    const { status, body } = await scene.call('PUT', '/theirs', {
      ...daily,
      session: otherSession,
    });
    expect([status, body['error']]).toEqual([
      404,
      expect.objectContaining({ type: 'SESSION_NOT_FOUND' }),
    ]);
    expect((await scene.call('GET', '/theirs')).status).toBe(404);
  });

  it('refuse a key that is none', async () => {
    expect((await scene.call('PUT', '/a%20b', daily)).status).toBe(400);
    expect((await scene.call('GET', `/${'a'.repeat(101)}`)).status).toBe(400);
  });

  it('take as many schedules as a principal may have', async () => {
    const made: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      made.push((await other.call('PUT', `/n${n}`, daily)).status);
    }
    expect(made).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
    expect((await other.call('PUT', '/n7', { ...daily, tz: 'UTC' })).status).toBe(200);
  });

  it('trigger a run beside the fire times, once for an idempotency key, also while it is paused', async () => {
    const { nextAt } = await scene.put('now', daily);
    await scene.call('POST', '/now/pause');
    const twice = await Promise.all(
      [1, 2].map(() =>
        scene.call('POST', '/now/trigger', undefined, { 'idempotency-key': 'once' }),
      ),
    );
    expect(twice.map(({ status }) => status)).toEqual([202, 202]);
    const [first, second] = twice.map(({ body }) => body['run'] as { turnId: string });
    expect(first).toMatchObject({ cause: 'trigger', outcome: 'submitted' });
    expect(second?.turnId).toBe(first?.turnId);
    await scene.ended('now', 'completed');
    expect((await scene.call('POST', '/now/trigger')).status).toBe(202);
    expect(await scene.runs('now')).toHaveLength(2);
    expect(await scene.get('now')).toMatchObject({ nextAt: null, pauseReason: 'requested' });
    const { body } = await scene.call('POST', '/now/resume');
    expect(body['schedule']).toMatchObject({ nextAt, pausedAt: null });
  });

  it('answer a trigger whose turn is refused with the error, and record none', async () => {
    await scene.put('busy', { ...daily, message: '[[stall=60000]]' });
    const { body: first } = await scene.call('POST', '/busy/trigger');
    const { status, body } = await scene.call('POST', '/busy/trigger');
    expect([status, body['error']]).toEqual([
      409,
      expect.objectContaining({ type: 'TURN_IN_PROGRESS' }),
    ]);
    expect(await scene.runs('busy')).toHaveLength(1);
    await scene.deleteSession((first['run'] as { sessionId: string }).sessionId);
    expect(await scene.runs('busy')).toMatchObject([{ outcome: 'submitted', turnStatus: null }]);
  });

  it('page runs, the newest first', async () => {
    await scene.put('paged', { ...daily, overlap: 'allow' });
    for (let n = 0; n < 3; n += 1) await scene.call('POST', '/paged/trigger');
    const { body } = await scene.call('GET', '/paged/runs?limit=2');
    const { body: rest } = await scene.call(
      'GET',
      `/paged/runs?limit=2&cursor=${String(body['nextCursor'])}`,
    );
    const runs = [body, rest].flatMap((page) => page['runs'] as { id: string }[]);
    expect([runs.length, rest['nextCursor']]).toEqual([3, undefined]);
    expect(runs.map(({ id }) => id)).toEqual(
      runs
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
    expect((await scene.call('GET', '/paged/runs?cursor=nonsense')).status).toBe(400);
  });

  it('pause a schedule whose key is revoked, and let it go on with another', async () => {
    const { id, scene: first } = await keyed({ principal: 'eve' });
    const { scene: second } = await keyed({ principal: 'eve' });
    await first.put('keyed', daily);
    const admin = await makeKey(server, { principal: 'boss', scopes: ['admin'] });
    await expectSoon(async () => {
      const headers = { authorization: `Bearer ${admin.secret}` };
      const revoked = await fetch(`${server.url}/api/admin/keys/${id}`, {
        method: 'DELETE',
        headers,
      });
      expect(revoked.status).toBe(200);
    });
    await second.comes('keyed', minutesAgo(1));
    expect(await second.ran('keyed', 1)).toMatchObject([
      { outcome: 'refused', turnId: null, error: { type: 'UNAUTHENTICATED' } },
    ]);
    expect(await second.get('keyed')).toMatchObject({ nextAt: null, pauseReason: 'key' });
    await second.call('POST', '/keyed/resume');
    await second.comes('keyed', minutesAgo(0));
    await second.ran('keyed', 2);
    await expectSoon(async () =>
      expect((await second.runs('keyed'))[0]).toMatchObject({ turnStatus: 'completed' }),
    );
  });

  it('submit turns within the limits of the key, and record what is refused', async () => {
    const { scene: poor } = await keyed({ principal: 'poor', limits: { concurrentTurns: 1 } });
    await poor.put('first', { ...daily, message: '[[stall=60000]]' });
    await poor.put('second', daily);
    await poor.comes('first', minutesAgo(1));
    const [running] = await poor.ran('first', 1);
    await poor.comes('second', minutesAgo(0));
    expect(await poor.ran('second', 1)).toMatchObject([
      { outcome: 'refused', error: { type: 'TOO_MANY_TURNS' } },
    ]);
    expect((await poor.get('second'))['nextAt']).not.toBeNull();
    await poor.deleteSession(running?.sessionId ?? '');
  });

  it('audit what was done, and forget it with its principal', async () => {
    const { scene: gone } = await keyed({ principal: 'gone' });
    const { id } = await gone.put('mine', daily);
    await gone.call('POST', '/mine/pause');
    await gone.call('POST', '/mine/resume');
    await gone.call('POST', '/mine/trigger');
    const entries = await server.db
      .select({ action: auditLog.action })
      .from(auditLog)
      .where(eq(auditLog.subject, String(id)))
      .orderBy(auditLog.at);
    expect(entries.map(({ action }) => action)).toEqual([
      'schedule.created',
      'schedule.paused',
      'schedule.resumed',
      'schedule.triggered',
    ]);
    const admin = await makeKey(server, { principal: 'boss', scopes: ['admin'] });
    const headers = { authorization: `Bearer ${admin.secret}` };
    const url = `${server.url}/api/admin/principals/gone`;
    const report = await fetch(url, { headers });
    expect(await report.json()).toMatchObject({ schedules: 1 });
    expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(200);
    expect(await server.db.$count(schedules, eq(schedules.principalId, 'gone'))).toBe(0);
    expect(await server.db.$count(turns, eq(turns.principalId, 'gone'))).toBe(0);
  });
});
