import { describe, expect, it } from '@jest/globals';
import { checkSlots } from '../../chaos/check/check-slots.mjs';
import type { ScheduleRows } from '../../chaos/types.js';

const MINUTE = 60_000;

type Run = ScheduleRows['runs'][number];

const run = (minute: number, more: Partial<Run> = {}): Run => ({
  cause: 'slot',
  triggerKey: null,
  slot: minute * MINUTE,
  outcome: 'submitted',
  missedUntil: null,
  turnId: `turn_${minute}`,
  hasTurn: true,
  createdAt: minute * MINUTE + 500,
  ...more,
});

const trigger = run(2.5, { cause: 'trigger', triggerKey: 'trigger-0' });
const without = { turnId: null, hasTurn: false };
const missed = run(2, {
  ...without,
  outcome: 'missed',
  missedUntil: 3 * MINUTE,
  createdAt: 3 * MINUTE + 200,
});

/** The slots of the first to the third minute, and a trigger between. */
const usual: ScheduleRows = {
  key: 'every-new',
  everyMs: MINUTE,
  catchUpMs: 600_000,
  firstAt: MINUTE,
  nextAt: 4 * MINUTE,
  settledAt: 3 * MINUTE + 30_000,
  runs: [run(1), run(2), trigger, run(3)],
  turnIds: ['turn_1', 'turn_2', 'turn_3'],
  maySkip: false,
  triggers: [{ triggerKey: 'trigger-0', turnId: 'turn_2.5' }],
};

const kindsFound = (more: Partial<ScheduleRows>): string[] =>
  checkSlots({ ...usual, ...more }).map(({ kind }) => kind);

describe('the checker of schedules finds nothing in', () => {
  it.each<[string, Partial<ScheduleRows>]>([
    ['a schedule as usual', {}],
    [
      'a slot missed where the next was due',
      { runs: [run(1), missed, trigger, run(3)], turnIds: ['turn_1', 'turn_3'] },
    ],
    [
      'a slot skipped where turns must not overlap',
      {
        runs: [run(1), run(2), trigger, run(3, { ...without, outcome: 'skipped' })],
        turnIds: [],
        maySkip: true,
      },
    ],
    [
      'a slot that is held by a lease still',
      { nextAt: 3 * MINUTE, runs: usual.runs.slice(0, 3), turnIds: [] },
    ],
    ['a short run', { nextAt: MINUTE, runs: [trigger], turnIds: [], settledAt: undefined }],
  ])('%s', (_name, more) => {
    expect(kindsFound(more)).toEqual([]);
  });
});

describe('the checker of schedules finds', () => {
  const second = (more: Partial<Run>): Partial<ScheduleRows> => ({
    runs: [run(1), run(2, more), trigger, run(3)],
    turnIds: ['turn_1', 'turn_3'],
  });

  it.each<[string, Partial<ScheduleRows>, string[]]>([
    ['a slot without a record', { runs: [run(1), trigger, run(3)], turnIds: [] }, ['slot-lost']],
    ['a record without its turn', second({ hasTurn: false }), ['slot-lost']],
    ['a slot that was refused', second({ ...without, outcome: 'refused' }), ['slot-lost']],
    ['a slot skipped for nothing', second({ ...without, outcome: 'skipped' }), ['slot-lost']],
    [
      'a slot missed within its time',
      second({ ...missed, createdAt: 2.5 * MINUTE }),
      ['slot-lost'],
    ],
    ['a slot that was run late', { mostLateMs: 499 }, Array(3).fill('slot-late')],
    ['a slot that is never run', { settledAt: 5 * MINUTE }, ['slot-lost']],
    ['a slot with two records', { runs: [...usual.runs, run(2)], turnIds: [] }, ['slot-twice']],
    [
      'a missed slot that ran as well',
      { runs: [run(1), missed, run(2), trigger, run(3)], turnIds: [] },
      ['slot-twice'],
    ],
    ['a turn without a record', { turnIds: ['turn_1', 'turn_8'] }, ['slot-twice']],
    ['a trigger without a record', { runs: [run(1), run(2), run(3)] }, ['slot-lost']],
    [
      'a trigger with two records',
      { runs: [...usual.runs, { ...trigger, turnId: 'turn_7' }] },
      ['slot-twice'],
    ],
    [
      'a trigger acknowledged with another turn',
      { triggers: [{ triggerKey: 'trigger-0', turnId: 'turn_7' }] },
      ['slot-twice'],
    ],
  ])('%s', (_name, more, kinds) => {
    expect(kindsFound(more)).toEqual(kinds);
  });
});
