import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import { checkTriggers, type Facts, type Trigger } from './trigger.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { defaultTriggers, triggerTable } from './triggers.js';

const quiet: Facts = {
  at: 'step',
  step: 3,
  isFirstMessage: false,
  config: defaultAgentConfig,
  warnings: [],
  context: { tokens: 1_000, window: 200_000 },
  readings: [
    { contextPercent: 0, memoryPercent: 10, diskPercent: 10 },
    { contextPercent: 1, memoryPercent: 10, diskPercent: 10 },
  ],
  todos: [],
  stepsSinceTodos: 3,
  toolErrors: 0,
  background: [],
  fired: new Set(),
};

const rethrow = (_trigger: string, error: unknown): never => {
  throw error;
};
const marksOf = (facts: Partial<Facts>): string[] =>
  checkTriggers(defaultTriggers, { ...quiet, ...facts }, rethrow).map(({ mark }) => mark);

const open: Todo = { id: 'a', content: 'Write it', status: 'pending' };
const done: Todo = { id: 'b', content: 'Read it', status: 'completed' };
const warning = (kind: string) => ({ kind, text: 'Approaching', metadata: { percent: 70 } });
const rise = (reading: object) => [
  { contextPercent: 0, memoryPercent: 0, diskPercent: 0 },
  { contextPercent: 0, memoryPercent: 0, diskPercent: 0, ...reading },
];

describe('the triggers', () => {
  it.each<[string, Partial<Facts>, string[]]>([
    ['nothing', {}, []],
    [
      'open todos of a first message',
      { at: 'message', isFirstMessage: true, todos: [open] },
      ['session-start'],
    ],
    [
      'no open todos of a first message',
      { at: 'message', isFirstMessage: true, todos: [done] },
      [],
    ],
    [
      'open todos of a later message',
      { at: 'message', step: 0, stepsSinceTodos: 0, todos: [open, done] },
      ['todo-reminder:message:0'],
    ],
    ['todos untouched for 4 steps', { step: 4, stepsSinceTodos: 4, todos: [open] }, []],
    [
      'todos untouched for 5 steps',
      { step: 5, stepsSinceTodos: 5, todos: [open] },
      ['todo-reminder:step:0'],
    ],
    ['the same later', { step: 9, stepsSinceTodos: 9, todos: [open] }, ['todo-reminder:step:0']],
    [
      'todos written since, and quiet again',
      { step: 9, stepsSinceTodos: 5, todos: [open] },
      ['todo-reminder:step:4'],
    ],
    ['todos that are done', { step: 9, stepsSinceTodos: 9, todos: [done] }, []],
    ['a context at 69 %', { readings: rise({ contextPercent: 69 }) }, []],
    ['a context at 70 %', { readings: rise({ contextPercent: 70 }) }, ['context-usage:70#1']],
    ['a jump to 97 %', { readings: rise({ contextPercent: 97 }) }, ['context-usage:95#1']],
    [
      'a full context before the turn',
      { at: 'message', readings: rise({ contextPercent: 97 }) },
      [],
    ],
    ['memory at 84 %', { readings: rise({ memoryPercent: 84 }) }, []],
    ['memory at 85 %', { readings: rise({ memoryPercent: 85 }) }, ['resource-usage:memory#1']],
    [
      'memory and disk',
      { readings: rise({ memoryPercent: 90, diskPercent: 90 }) },
      ['resource-usage:memory#1', 'resource-usage:disk#1'],
    ],
    [
      'a summary',
      { at: 'message', compaction: { id: 'c1', summary: 'S' } },
      ['compact-summary:c1'],
    ],
    ['a summary between steps', { compaction: { id: 'c1', summary: 'S' } }, []],
    [
      'soft marks, most urgent first',
      { warnings: ['token-limit', 'iteration-limit', 'time-limit'].map(warning) },
      ['time-limit', 'iteration-limit', 'token-limit'],
    ],
    ['a warning nobody knows', { warnings: [warning('odd')] }, []],
    [
      'one action from the end',
      { nearNoProgress: { action: 'read({})' } },
      ['no-progress-nudge:3'],
    ],
    ['one error in a row', { toolErrors: 1 }, []],
    ['two errors in a row', { toolErrors: 2, lastError: 'no' }, ['error-streak:3']],
    ['three errors in a row', { toolErrors: 3 }, ['error-streak:3']],
    [
      'two things that came',
      {
        background: [
          { id: 'x', text: 'X' },
          { id: 'y', text: 'Y' },
        ],
      },
      ['background-result:x', 'background-result:y'],
    ],
  ])('%s', (_what, facts, marks) => {
    expect(marksOf(facts)).toEqual(marks);
  });

  it('say nothing that was said in this turn', () => {
    const facts = { warnings: [warning('time-limit')], toolErrors: 2 };
    expect(marksOf({ ...facts, fired: new Set(['time-limit']) })).toEqual(['error-streak:3']);
  });

  it('say no mark twice, whatever the facts', () => {
    const anyFacts = fc.record({
      contextPercent: fc.integer({ min: 0, max: 100 }),
      memoryPercent: fc.integer({ min: 0, max: 100 }),
      touches: fc.boolean(),
      toolErrors: fc.nat(3),
      warns: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 30 }), (looks) => {
        const fired = new Set<string>();
        let touchedAt = 0;
        let readings = [
          quiet.readings[0] ?? { contextPercent: 0, memoryPercent: 0, diskPercent: 0 },
        ];
        for (const [index, look] of looks.entries()) {
          const step = index + 1;
          if (look.touches) touchedAt = step;
          readings = [...readings, { ...look, diskPercent: 0 }];
          const marks = marksOf({
            step,
            readings,
            todos: [open],
            stepsSinceTodos: step - touchedAt,
            toolErrors: look.toolErrors,
            warnings: look.warns ? [warning('token-limit')] : [],
            fired,
          });
          for (const mark of marks) {
            expect(fired.has(mark)).toBe(false);
            fired.add(mark);
          }
        }
      }),
    );
  });

  it('cost nothing when one is broken', () => {
    const errors: string[] = [];
    const broken: Trigger = {
      ...(defaultTriggers[0] as Trigger),
      id: 'broken',
      check: () => {
        throw new Error('no');
      },
    };
    const facts = { ...quiet, warnings: [warning('time-limit')] };
    const due = checkTriggers([broken, ...defaultTriggers], facts, (id) => errors.push(id));
    expect([due.map(({ mark }) => mark), errors]).toEqual([['time-limit'], ['broken']]);
  });

  it('are listed for the documentation, each once', () => {
    const ids = triggerTable().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(14);
  });
});
