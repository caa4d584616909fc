import { describe, expect, it } from '@jest/globals';
import { checkObject } from '../../chaos/check/check-object.mjs';
import { planTurn } from '../../chaos/plan/plan-turn.mjs';
import type { TurnHistory, TurnPlan, TurnRows } from '../../chaos/types.js';

const own = { turn: 't1', count: 3 };
const another = { turn: 't2', count: 3 };

interface Given {
  object?: TurnPlan['object'];
  outputs?: unknown[];
  turn?: Partial<TurnRows['turn']>;
  hasLeft?: boolean;
}

function kindsFound({ outputs = [own], turn = {}, hasLeft = false, ...given }: Given): string[] {
  const object = 'object' in given ? given.object : { expected: own };
  const { object: _none, ...plain } = planTurn(1, 0);
  const history: TurnHistory = {
    plan: object === undefined ? plain : { ...plain, object },
    turnId: 'turn_1',
    sessionId: 'sess_1',
    postedAs: ['turn_1'],
    readers: [
      {
        name: 'first',
        maxAwayMs: 0,
        hasLeft,
        frames: outputs.map((output, at) => ({
          id: `turn_1:1.${at}`,
          event: 'output:final',
          data: { output },
          at,
          connection: 0,
        })),
      },
    ],
    fresh: undefined,
    interruptedAt: undefined,
  };
  const rows: TurnRows = {
    turn: {
      id: 'turn_1',
      status: 'completed',
      attempt: 1,
      exitCode: 0,
      endReason: 'end_turn',
      isLeased: false,
      endedAt: 1_000,
      output: own,
      failure: null,
      ...turn,
    },
    replyText: '',
    assistantMessages: 1,
    calls: [],
  };
  return checkObject(history, rows).map(({ kind }) => kind);
}

const invalid = { status: 'failed', failure: 'OUTPUT_INVALID', output: null };

describe('the checker of objects finds nothing in', () => {
  it.each<[string, Given]>([
    ['a turn with its object', {}],
    ['a turn that asks for none', { object: undefined, outputs: [], turn: { output: null } }],
    [
      'a turn that never wrote one',
      { object: { expected: undefined }, outputs: [], turn: invalid },
    ],
    ['a turn that was interrupted', { outputs: [], turn: { status: 'interrupted', output: null } }],
    ['a reader that left', { outputs: [], hasLeft: true }],
  ])('%s', (_name, given) => {
    expect(kindsFound(given)).toEqual([]);
  });
});

describe('the checker of objects finds', () => {
  it.each<[string, Given, string[]]>([
    [
      'the object of another turn',
      { outputs: [another], turn: { output: another } },
      ['object-differs'],
    ],
    ['an object told otherwise than stored', { outputs: [another] }, ['object-differs']],
    ['an object told twice', { outputs: [own, own] }, ['object-differs']],
    ['an object never told', { outputs: [] }, ['object-missing']],
    ['a turn that completed without', { outputs: [], turn: { output: null } }, ['object-missing']],
    ['a turn that failed for an object it had', { outputs: [], turn: invalid }, ['object-missing']],
    ['an object that nobody asked for', { object: undefined }, ['object-differs']],
    [
      'an object of a turn that was interrupted',
      { turn: { status: 'interrupted' } },
      ['object-differs'],
    ],
    [
      'a turn that completed with an object its schema forbids',
      { object: { expected: undefined } },
      ['object-differs', 'object-differs'],
    ],
  ])('%s', (_name, given, kinds) => {
    expect(kindsFound(given)).toEqual(kinds);
  });
});
