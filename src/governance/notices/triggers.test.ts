import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import { checkTriggers, type TriggerFacts } from './trigger.js';
import type { Todo } from '../../storage/shapes/stored-step.js';
import { defaultTriggers, triggerTable } from './triggers.js';

const quiet: TriggerFacts = {
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
const marksOf = (facts: Partial<TriggerFacts>): string[] =>
  checkTriggers(defaultTriggers, { ...quiet, ...facts }, rethrow).map(({ mark }) => mark);

const open: Todo = { id: 'a', content: 'Write it', status: 'pending' };
const done: Todo = { id: 'b', content: 'Read it', status: 'completed' };
const warning = (kind: string) => ({ kind, text: 'Approaching', metadata: { percent: 70 } });
const rise = (reading: object) => [
  { contextPercent: 0, memoryPercent: 0, diskPercent: 0 },
  { contextPercent: 0, memoryPercent: 0, diskPercent: 0, ...reading },
];

const full = rise({ memoryPercent: 90, diskPercent: 90 });

// Each trigger has its own suite; this one tests the notices of all of them together.
describe('the triggers', () => {
  it.each<[string, Partial<TriggerFacts>, string[]]>([
    ['nothing', {}, []],
    [
      'open todos of a first message',
      { at: 'message', isFirstMessage: true, todos: [open] },
      ['session-start'],
    ],
    [
      'open todos of a later message',
      { at: 'message', step: 0, stepsSinceTodos: 0, todos: [open, done] },
      ['todo-reminder:message:0'],
    ],
    [
      'todos written since, and quiet again',
      { step: 9, stepsSinceTodos: 5, todos: [open] },
      ['todo-reminder:step:4'],
    ],
    ['todos that are done', { step: 9, stepsSinceTodos: 9, todos: [done] }, []],
    [
      'a full context before the turn',
      { at: 'message', readings: rise({ contextPercent: 97 }) },
      [],
    ],
    ['memory and disk', { readings: full }, ['resource-usage:memory#1', 'resource-usage:disk#1']],
    ['a summary between steps', { compaction: { id: 'c1', summary: 'S' } }, []],
    [
      'soft marks, most urgent first',
      { warnings: ['token-limit', 'iteration-limit', 'time-limit'].map(warning) },
      ['time-limit', 'iteration-limit', 'token-limit'],
    ],
    ['a warning nobody knows', { warnings: [warning('odd')] }, []],
    [
      'one action from the end, and errors, before a soft mark',
      {
        nearNoProgress: { action: 'read({})' },
        toolErrors: 2,
        warnings: [warning('time-limit')],
      },
      ['no-progress-nudge:3', 'error-streak:3', 'time-limit'],
    ],
  ])('%s', (_what, facts, marks) => {
    expect(marksOf(facts)).toEqual(marks);
  });

  it('are listed for the documentation, each once', () => {
    const ids = triggerTable().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(14);
  });
});
