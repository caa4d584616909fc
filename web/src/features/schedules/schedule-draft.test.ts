import { describe, expect, it } from '@jest/globals';
import type { ScheduleView } from '#src/client/turnpike-client.js';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import { describeState } from './describe-state.js';
import { draftOf, findProblems, parseDraft, problemOf } from './schedule-draft.js';

const schedule: ScheduleView = {
  id: 'sched_1',
  key: 'report',
  cron: '0 9 * * 1',
  tz: 'Europe/Berlin',
  session: 'new',
  agent: 'WRITER',
  projectRoot: null,
  message: 'Write it.',
  opts: { maxTurns: 3 },
  overlap: 'allow',
  catchUpMs: 90_000,
  nextAt: '2026-11-30T08:00:00.000Z',
  pausedAt: null,
  pauseReason: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
};

describe('the draft of a schedule', () => {
  it('asks for the same again where nothing is changed', () => {
    const { cron, tz, session, agent, message, opts, overlap, catchUpMs } = schedule;
    const same = { cron, tz, session, agent, message, opts, overlap, catchUpMs };
    expect(parseDraft(draftOf(schedule, 'UTC'))).toEqual(same);
  });

  it('of a new one has the viewer’s zone and the defaults', () => {
    const draft = { ...draftOf(undefined, 'Asia/Tokyo'), cron: '0 9 * * *', message: 'Hello' };
    expect(parseDraft(draft)).toEqual({
      cron: '0 9 * * *',
      tz: 'Asia/Tokyo',
      session: 'new',
      message: 'Hello',
      overlap: 'skip',
      catchUpMs: 600_000,
    });
  });

  it('leaves agent and folder out in a session, which has its own', () => {
    const draft = { ...draftOf(schedule, 'UTC'), session: 'sess_1', projectRoot: '/srv' };
    const wanted = parseDraft(draft);
    expect(wanted).toMatchObject({ session: 'sess_1' });
    expect(Object.keys(wanted)).not.toEqual(expect.arrayContaining(['agent']));
    expect(Object.keys(wanted)).not.toEqual(expect.arrayContaining(['projectRoot']));
  });

  it.each([
    ['key', 'my report'],
    ['cron', 'every monday'],
    ['cron', '0 9 * *'],
    ['cron', '0 99 * * 1'],
    ['tz', 'Berlin'],
    ['tz', ''],
    ['message', ' '],
    ['catchUpMs', ''],
    ['catchUpMs', 'ten'],
    ['catchUpMs', '1441'],
    ['opts', '{'],
    ['opts', '[1]'],
  ])('with %s of %j says what to give', (field, text) => {
    const found = findProblems({ ...draftOf(schedule, 'UTC'), [field]: text });
    expect(found).toEqual([{ field, text: expect.any(String) }]);
  });

  it('says all that is wrong at once, and nothing of what is right', () => {
    const wrong = { cron: 'x', tz: 'y', message: '' };
    const found = findProblems({ ...draftOf(schedule, 'UTC'), ...wrong });
    expect(found.map(({ field }) => field)).toEqual(['cron', 'tz', 'message']);
    for (const tz of ['UTC', 'Etc/UTC', 'Asia/Tokyo']) {
      expect(findProblems({ ...draftOf(schedule, 'UTC'), tz })).toEqual([]);
    }
  });
});

describe('a refusal of a schedule', () => {
  const refused = (code: string, details?: unknown) =>
    new TurnpikeError(code, { status: 400, message: 'No.', retryable: false, details });

  it.each([
    ['the field that it names', refused('INVALID_REQUEST', { param: 'cron' }), 'cron'],
    ['the options, of one of them', refused('INVALID_REQUEST', { param: 'opts.onBusy' }), 'opts'],
    ['the agent', refused('PERSONA_NOT_FOUND'), 'agent'],
    ['the folder', refused('WORKING_ROOT_INACCESSIBLE', { path: '/x' }), 'projectRoot'],
  ])('is shown at %s', (_where, fault, field) => {
    expect(problemOf(fault)).toEqual({ field, text: 'No.' });
  });

  it.each([
    ['names a field that the form has not', refused('INVALID_REQUEST', { param: 'toString' })],
    ['is about no field', refused('SCHEDULE_LIMIT')],
    ['is no refusal', new Error('No.')],
  ])('that %s is shown by itself', (_what, fault) => {
    expect(problemOf(fault)).toBeUndefined();
  });
});

describe('the state of a schedule', () => {
  const due = Date.parse(schedule.nextAt ?? '');

  it('is late once nothing took its time for ten seconds', () => {
    expect(describeState(schedule, due + 10_000)).toMatchObject({ look: 'good' });
    expect(describeState(schedule, due + 10_001)).toMatchObject({ look: 'amber' });
  });

  it.each([
    ['requested', 'Paused by you'],
    ['failures', 'the last five runs'],
    ['key', 'its API key'],
    ['grant', 'log in'],
    ['times', 'its times'],
  ] as const)('says why it is paused: %s', (pauseReason, words) => {
    const paused = { ...schedule, nextAt: null, pausedAt: schedule.createdAt, pauseReason };
    expect(describeState(paused, due).words).toContain(words);
  });
});
