import { describe, expect, it } from '@jest/globals';
import { parseSchedulesArguments } from './schedules-command.js';
import { UsageError } from '../arguments.js';

const plain = { json: false, url: undefined };
const put = ['put', 'daily', '--cron', '0 9 * * *', '--tz', 'UTC', '--message', 'Go'];
const wanted = { cron: '0 9 * * *', tz: 'UTC', message: 'Go', session: 'new' };

describe('parseSchedulesArguments', () => {
  it.each([
    [['list', '--json'], { ...plain, json: true, action: 'list' }],
    [put, { ...plain, action: 'put', key: 'daily', wanted }],
    [['create', ...put.slice(1)], { ...plain, action: 'create', key: 'daily', wanted }],
    [
      [...put, '--session', 'sess_1', '--overlap', 'queueOne', '--catch-up', '60000'],
      {
        ...plain,
        action: 'put',
        key: 'daily',
        wanted: { ...wanted, session: 'sess_1', overlap: 'queueOne', catchUpMs: 60_000 },
      },
    ],
    [
      [...put, '--agent', 'REPORTER', '--project', '/work', '--opts', '{"maxTurns":3}'],
      {
        ...plain,
        action: 'put',
        key: 'daily',
        wanted: { ...wanted, agent: 'REPORTER', projectRoot: '/work', opts: { maxTurns: 3 } },
      },
    ],
    [
      ['pause', 'daily', '--url', 'http://here'],
      { json: false, url: 'http://here', action: 'pause', key: 'daily' },
    ],
    [['runs', 'daily'], { ...plain, action: 'runs', key: 'daily', limit: 20 }],
    [
      ['upcoming', 'daily', '--limit', '3'],
      { ...plain, action: 'upcoming', key: 'daily', limit: 3 },
    ],
  ])('parses %j', (args, expected) => {
    expect(parseSchedulesArguments(args)).toEqual(expected);
  });

  it.each([
    [[]],
    [['list', 'daily']],
    [['show']],
    [['show', 'daily', 'more']],
    [['start', 'daily']],
    [['put', 'daily', '--cron', '0 9 * * *']],
    [[...put, '--opts', '[1]']],
    [[...put, '--opts', '{']],
    [[...put, '--catch-up', 'soon']],
    [['pause', 'daily', '--cron', '0 9 * * *']],
    [['pause', 'daily', '--limit', '3']],
  ])('refuses %j', (args) => {
    expect(() => parseSchedulesArguments(args)).toThrow(UsageError);
  });
});
