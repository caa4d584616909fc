import { describe, expect, it } from '@jest/globals';
import { defaultAgentConfig } from '../decision-tree/agent-config.js';
import { changeState, newAgentState, type AgentState } from '../decision-tree/agent-state.js';
import { type ToolResult, recordToolResult } from '../decision-tree/decision-trees.js';
import { endNote, lastCall, limitReached } from './limit-reached.js';

const config = { ...defaultAgentConfig, maxIterations: 10 };
const start = newAgentState({ userId: 'u', projectId: 'p', startTime: 0, config });

/** An iteration for each query; a query that ends in `!` fails. */
function searched(queries: readonly string[], from: AgentState = start): AgentState {
  return queries.reduce((state, query) => {
    const result: ToolResult = {
      name: 'search_code',
      input: { query },
      output: 'connection timeout',
      isError: query.endsWith('!'),
    };
    return recordToolResult(changeState(state, { turn: state.turn + 1 }), result);
  }, from);
}

const stuck = searched(['x', 'x', 'x']);

describe('limitReached', () => {
  it.each([
    [
      'max_turns' as const,
      changeState(start, { turn: 10 }),
      'Maximum iterations reached (10/10). Saving partial response.',
      { current_value: 10, limit_value: 10, percent: 100, limit_type: 'iteration' },
    ],
    [
      'token_budget' as const,
      changeState(start, { tokensUsed: 51_234 }),
      'Token budget reached (51,234/50,000 tokens). Saving partial response.',
      { current_value: 51_234, limit_value: 50_000, percent: 102, limit_type: 'token' },
    ],
    [
      'token_budget' as const,
      changeState(start, { tokensUsed: 49_000 }),
      'Token budget reached (49,000/50,000 tokens; what is left is not enough for another reply). Saving partial response.',
      { current_value: 49_000, limit_value: 50_000, percent: 100, limit_type: 'token' },
    ],
    [
      'cost_budget' as const,
      changeState(start, { cost: { usedUsd: 0.01, limitUsd: 0.01 } }),
      'Cost limit reached ($0.01/$0.01). Saving partial response.',
      { current_value: 0.01, limit_value: 0.01, percent: 100, limit_type: 'cost' },
    ],
    [
      'cost_budget' as const,
      changeState(start, { cost: { usedUsd: 0.0052, limitUsd: 0.01 } }),
      'Cost limit reached ($0.0052/$0.01; what is left is not enough for another reply). Saving partial response.',
      { current_value: 0.0052, limit_value: 0.01, percent: 100, limit_type: 'cost' },
    ],
    [
      'timeout' as const,
      changeState(start, { now: 120_700 }),
      'Time limit reached (120/120 seconds). Saving partial response.',
      { current_value: 120, limit_value: 120, percent: 100, limit_type: 'timeout' },
    ],
  ])('%s', (reason, state, text, metadata) => {
    expect(limitReached(reason, state)).toEqual({ kind: 'limit-reached', text, metadata });
  });

  it.each([
    ['the same action was attempted 3 times', 'search_code({"query":"x"})', stuck],
    [
      'the same 2 actions kept following each other',
      'search_code({"query":"y"}), search_code({"query":"x"})',
      searched(['x', 'y', 'x', 'y', 'x']),
    ],
    [
      'the same error came 3 times',
      'search_code({"query":"1!"}), search_code({"query":"2!"}), search_code({"query":"3!"})',
      searched(['1!', '2!', '3!']),
    ],
    ['nothing new came of the work', 'search_code({"query":"x"})', searched(['x'])],
    ['nothing new came of the work', 'no tool call', start],
  ])('no_progress: %s', (what, repeated, state) => {
    expect(limitReached('no_progress', state)).toEqual({
      kind: 'no-progress',
      text: `No progress detected - ${what}. Terminating to prevent infinite loop.`,
      metadata: { repeated_action: repeated },
    });
  });

  it('no_progress of many calls side by side names three of them', () => {
    let state = start;
    for (let turn = 1; turn <= 3; turn += 1) {
      state = changeState(state, { turn });
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        state = recordToolResult(state, { name, input: {}, output: '', isError: false });
    }
    expect(limitReached('no_progress', state)).toMatchObject({
      text: 'No progress detected - the same actions were attempted 3 times. Terminating to prevent infinite loop.',
      metadata: { repeated_action: 'a({}), b({}), c({}) and 2 more' },
    });
  });

  it('error_limit', () => {
    expect(limitReached('error_limit', searched(['1!', '2!', '3!']))).toEqual({
      kind: 'error-limit',
      text: 'Multiple consecutive errors (3/3). Terminating with partial results.',
      metadata: { error_count: 3, last_error: 'connection timeout' },
    });
  });
});

describe('the session’s budget', () => {
  const session = { usedTokens: 990, limitTokens: 1_000 };
  const near = changeState(start, { tokensUsed: 40_000, session });

  it('is named where it is the nearer one', () => {
    expect(limitReached('token_budget', near)).toEqual({
      kind: 'limit-reached',
      text: "Session's token budget reached (990/1,000 tokens; what is left is not enough for another reply). Saving partial response.",
      metadata: { current_value: 990, limit_value: 1_000, percent: 100, limit_type: 'token' },
    });
    expect(endNote('token_budget', near)).toContain("the session's budget of 1,000 tokens");
  });

  it('is not where the turn’s own is', () => {
    const own = changeState(near, { tokensUsed: 50_000 });
    expect(endNote('token_budget', own)).toContain('the budget of 50,000 tokens was used up');
  });
});

describe('lastCall', () => {
  it.each([
    [
      'max_turns' as const,
      changeState(start, { turn: 10 }),
      'Maximum iterations reached (10/10).',
      { current_value: 10, limit_value: 10, percent: 100, limit_type: 'iteration' },
    ],
    [
      'token_budget' as const,
      changeState(start, { tokensUsed: 47_500 }),
      'Token budget reached (47,500/50,000 tokens; what is left is for one reply).',
      { current_value: 47_500, limit_value: 50_000, percent: 100, limit_type: 'token' },
    ],
  ])('of %s asks the model to answer', (reason, state, text, metadata) => {
    expect(lastCall(reason, state)).toEqual({
      kind: 'limit-reached',
      text: `${text} This is the last reply, and no tool can be called any more: answer now with what you have.`,
      metadata,
    });
  });
});

describe('endNote', () => {
  it('ends an error’s sentence once', () => {
    const state = changeState(start, { toolErrors: 3, lastError: 'There is no such file.\n' });
    expect(endNote('error_limit', state)).toContain('with: There is no such file. What was');
  });

  const one = changeState(start, { config: { ...config, maxIterations: 1 } });

  it.each([
    ['max_turns' as const, start, 'the limit of 10 iterations was reached'],
    ['max_turns' as const, one, 'the limit of 1 iteration was reached'],
    [
      'token_budget' as const,
      changeState(start, { tokensUsed: 50_000 }),
      'the budget of 50,000 tokens was used up',
    ],
    [
      'token_budget' as const,
      start,
      'what is left of the budget of 50,000 tokens is not enough for another reply',
    ],
    [
      'cost_budget' as const,
      changeState(start, { cost: { usedUsd: 1, limitUsd: 1 } }),
      'the limit of $1 was reached',
    ],
    [
      'cost_budget' as const,
      changeState(start, { cost: { usedUsd: 0.5, limitUsd: 1 } }),
      'what is left of the limit of $1 is not enough for another reply',
    ],
    ['timeout' as const, start, 'the time limit of 120 seconds was reached'],
    [
      'no_progress' as const,
      stuck,
      'no progress was made, because the same action was attempted 3 times. Attempted: search_code({"query":"x"})',
    ],
    [
      'error_limit' as const,
      searched(['1!', '2!', '3!']),
      '3 tool calls in a row failed, the last one with: connection timeout',
    ],
  ])('%s: %#', (reason, state, why) => {
    expect(endNote(reason, state)).toBe(`[Stopped: ${why}. What was found so far is above.]`);
    expect(endNote(reason, state, false)).toBe(`[Stopped: ${why}. There is no answer yet.]`);
  });
});
