import { describe, expect, it } from '@jest/globals';
import { groupByDay } from './session-groups.js';

/** Noon, in the reader's time. */
const now = new Date(2026, 4, 20, 12).getTime();
const at = (day: number, hour: number) => ({
  updatedAt: new Date(2026, 4, day, hour).toISOString(),
});

describe('the groups of sessions', () => {
  it.each([
    [at(20, 11), 'Today'],
    [at(20, 0), 'Today'],
    [at(19, 23), 'Yesterday'],
    [at(19, 0), 'Yesterday'],
    [at(18, 23), 'Last 7 days'],
    [at(13, 0), 'Last 7 days'],
    [at(12, 23), 'Older'],
  ])('are days of the reader: %j is %s', (session, title) => {
    expect(groupByDay([session], now)).toEqual([{ title, sessions: [session] }]);
  });

  it('keep the order of the list', () => {
    const sessions = [at(20, 11), at(20, 9), at(19, 9), at(1, 9)];
    expect(groupByDay(sessions, now).map((group) => [group.title, group.sessions.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 1],
      ['Older', 1],
    ]);
    expect(groupByDay([], now)).toEqual([]);
  });
});
