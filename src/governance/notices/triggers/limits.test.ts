import { describe, expect, it } from '@jest/globals';
import { someFacts } from '../../../../test/support/turn/some-facts.js';
import { defaultAgentConfig } from '../../decision-tree/agent-config.js';
import { newAgentState, type AgentStateChange } from '../../decision-tree/agent-state.js';
import { warnings } from '../../limits/limit-warnings.js';
import { iterationLimit, timeLimit, tokenLimit, errorStreak, noProgressNudge } from './limits.js';

const triggers = [iterationLimit, tokenLimit, timeLimit];
const config = { ...defaultAgentConfig, maxIterations: 10 };

function kindsAt(change: AgentStateChange): string[] {
  const state = newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config, ...change });
  const facts = someFacts({ config, warnings: warnings(state) });
  return triggers.flatMap(({ check }) => check(facts).map(({ kind }) => kind));
}

describe('the soft marks of limits', () => {
  it.each<[string, AgentStateChange, string[]]>([
    ['nothing done', {}, []],
    ['an iteration before the mark', { turn: 6 }, []],
    ['the mark of iterations', { turn: 7 }, ['iteration-limit']],
    ['the last iteration', { turn: 10 }, []],
    ['a token before the mark', { tokensUsed: 39_999 }, []],
    ['the mark of tokens', { tokensUsed: 40_000 }, ['token-limit']],
    ['the budget used up', { tokensUsed: 50_000 }, []],
    ['a millisecond before the mark', { now: 83_999 }, []],
    ['the mark of time', { now: 84_000 }, ['time-limit']],
    ['time over', { now: 120_000 }, []],
    [
      'all at once',
      { turn: 7, tokensUsed: 40_000, now: 84_000 },
      ['iteration-limit', 'token-limit', 'time-limit'],
    ],
  ])('%s: %j says %j', (_name, change, kinds) => {
    expect(kindsAt(change)).toEqual(kinds);
  });

  it.each(triggers)('$id says what governance found, under one mark a turn', ({ id, check }) => {
    const metadata = { current_value: 7, limit_value: 10, percent: 70 };
    const warning = { kind: id, text: 'Approaching it.', metadata };
    const other = { kind: 'other-limit', text: 'Not this one.', metadata };
    expect(check(someFacts({ warnings: [other, warning] }))).toEqual([
      { mark: id, kind: id, text: 'Approaching it.', metadata, seenByModel: true },
    ]);
  });
});

describe('no-progress-nudge', () => {
  it('names what is repeated', () => {
    const nearNoProgress = { action: 'read({"file_path":"a"})' };
    expect(noProgressNudge.check(someFacts({ nearNoProgress, step: 3 }))).toMatchObject([
      {
        mark: 'no-progress-nudge:3',
        text: expect.stringContaining('read({"file_path":"a"})'),
        metadata: { repeated_action: 'read({"file_path":"a"})' },
        seenByModel: true,
      },
    ]);
  });

  it('says nothing where there is progress, and counts again when it ends', () => {
    expect(noProgressNudge.check(someFacts())).toEqual([]);
    const nearNoProgress = { action: 'read({})' };
    const marks = [2, 7].flatMap((step) =>
      noProgressNudge.check(someFacts({ nearNoProgress, step })).map(({ mark }) => mark),
    );
    expect(new Set(marks).size).toBe(2);
  });
});

describe('error-streak', () => {
  it.each([
    [0, 0],
    [1, 0],
    [2, 1],
    [3, 1],
    [7, 1],
  ])('after %i errors in a row: %i notices', (toolErrors, times) => {
    expect(errorStreak.check(someFacts({ toolErrors }))).toHaveLength(times);
  });

  it('says that no other call runs once there are as many as end the turn', () => {
    const text = (toolErrors: number) => errorStreak.check(someFacts({ toolErrors }))[0]?.text;
    expect(text(2)).toContain('If the next one fails too');
    expect(text(3)).toContain('No other is run in this turn: answer with what you have.');
  });

  it('has the last error, where there is one', () => {
    const facts = someFacts({ toolErrors: 2, lastError: 'no such file', step: 4 });
    expect(errorStreak.check(facts)).toMatchObject([
      {
        mark: 'error-streak:4',
        metadata: { error_count: 2, last_error: 'no such file' },
        seenByModel: true,
      },
    ]);
    const [unnamed] = errorStreak.check(someFacts({ toolErrors: 2 }));
    expect(unnamed?.metadata).toEqual({ error_count: 2 });
  });
});
