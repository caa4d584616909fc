import { describe, expect, it } from '@jest/globals';
import { checkLines, checkViews } from '../../chaos/check/check-lines.mjs';
import { planBranch } from '../../chaos/plan/plan-branch.mjs';
import { namesIn } from '../../chaos/plan/turn-names.mjs';
import type { ChaosSession, LineRow } from '../../chaos/types.js';

const row = (turnId: string, more: Partial<LineRow> = {}): LineRow => ({
  turnId,
  sessionId: 'sess_1',
  name: turnId.replace('turn_', 't'),
  copiedFrom: null,
  replaces: null,
  supersededBy: null,
  isLeftOut: false,
  content: `content of ${turnId}`,
  ...more,
});

/** Three turns, of which the third took the place of the second, and a fork after the first. */
const rows = [
  row('turn_1'),
  row('turn_2', { supersededBy: 'turn_3' }),
  row('turn_3', { replaces: 'turn_2' }),
  row('turn_9', {
    sessionId: 'sess_2',
    name: 't1',
    copiedFrom: 'turn_1',
    content: 'content of turn_1',
  }),
  row('turn_4', { sessionId: 'sess_2' }),
];

const session = (sessionId: string, ...names: string[]): ChaosSession => ({
  sessionId,
  line: names.map((name) => ({ name, turnId: name.replace('t', 'turn_') })),
  isUnsure: false,
});

const sessions = [session('sess_1', 't1', 't3'), session('sess_2', 't1', 't4')];

const changed = (turnId: string, more: Partial<LineRow>): LineRow[] =>
  rows.map((one) => (one.turnId === turnId ? { ...one, ...more } : one));

describe('the checker of lines', () => {
  it.each<[string, LineRow[], string[]]>([
    ['what its clients did', rows, []],
    ['two turns in one place', changed('turn_2', { supersededBy: null }), ['line-differs']],
    [
      'no turn in a place',
      changed('turn_3', { supersededBy: 'turn_9' }),
      ['line-differs', 'line-differs'],
    ],
    [
      'a turn superseded by one that replaces nothing',
      changed('turn_2', { supersededBy: 'turn_1' }),
      ['line-differs'],
    ],
    [
      'a fork without its prefix',
      rows.filter(({ copiedFrom }) => copiedFrom === null),
      ['line-differs'],
    ],
    [
      'a prefix twice',
      [...rows.slice(0, 4), { ...(rows[3] ?? row('')), turnId: 'turn_8' }, ...rows.slice(4)],
      ['line-differs'],
    ],
    ['a prefix after what follows', [rows[4] ?? row(''), ...rows.slice(0, 4)], ['line-differs']],
    [
      'another content than its source',
      changed('turn_9', { content: 'another' }),
      ['fork-differs'],
    ],
    ['a copy of nothing', changed('turn_9', { copiedFrom: 'turn_7' }), ['fork-differs']],
  ])('%s', (_name, stored, kinds) => {
    expect(checkLines(sessions, stored).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('says nothing of a session that a client does not know', () => {
    const unsure = { ...session('sess_1', 't1'), isUnsure: true };
    expect(checkLines([unsure], rows.slice(0, 3))).toEqual([]);
  });
});

describe('the checker of requests to the model', () => {
  const lines = new Map([
    ['t1', []],
    ['t2', ['t1']],
    ['t3', ['t1']],
    ['t4', ['t1']],
  ]);

  it.each<[string, string[], string[]]>([
    ['its line', ['t1', 't3'], []],
    ['the line of a turn that was superseded later', ['t1', 't2'], []],
    ['a superseded turn', ['t1', 't2', 't3'], ['superseded-shown']],
    ['a turn of another session', ['t1', 't3', 't4'], ['view-differs']],
    ['a turn too few', ['t3'], ['view-differs']],
    ['a turn twice', ['t1', 't1', 't3'], ['view-differs']],
    ['a message of no turn of the run', ['t77'], []],
  ])('%s', (_name, view, kinds) => {
    expect(checkViews([view, view], lines, rows).map(({ kind }) => kind)).toEqual(kinds);
  });

  it('lets a turn be absent that the provider refused', () => {
    const refused = changed('turn_1', { isLeftOut: true });
    expect(checkViews([['t3'], ['t1', 't3']], lines, refused)).toEqual([]);
  });

  it('reads names from the messages of users alone', () => {
    expect(
      namesIn([
        { role: 'user', content: 'Turn t1. Hello' },
        { role: 'assistant', content: [{ type: 'text', text: 'Turn t2. Hello' }] },
        { role: 'user', content: [{ type: 'tool_result' }, { type: 'text', text: 'Turn t3. x' }] },
        { role: 'user', content: 'It said: Turn t4. x' },
      ]),
    ).toEqual(['t1', 't3']);
  });
});

describe('the plan of branches', () => {
  const plans = Array.from({ length: 100 }, (_, index) => planBranch(5, index));

  it('is decided by the seed and the number of the session', () => {
    expect(planBranch(5, 12)).toEqual(plans[12]);
    expect(planBranch(6, 12)).not.toEqual(plans[12]);
  });

  it('has forks and replacements, by one client and by two', () => {
    const seen = plans.map(({ kind, isContested }) => `${kind} ${isContested}`);
    expect(new Set(seen)).toEqual(
      new Set(['none', 'fork', 'replace'].flatMap((kind) => [`${kind} true`, `${kind} false`])),
    );
  });
});
