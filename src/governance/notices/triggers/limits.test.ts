import { describe, expect, it } from '@jest/globals';
import { someFacts } from '../../../../test/support/turn/some-facts.js';
import { defaultAgentConfig } from '../../decision-tree/agent-config.js';
import { newAgentState, type AgentStateChange } from '../../decision-tree/agent-state.js';
import { warnings } from '../../limits/limit-reached.js';
import { iterationLimit, timeLimit, tokenLimit } from './limits.js';

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
