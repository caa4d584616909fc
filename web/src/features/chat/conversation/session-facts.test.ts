import { describe, expect, it } from '@jest/globals';
import { ModelCatalogue } from '#src/provider/model-catalogue.js';
import { viewModel } from '#src/options/model-list.dto.js';
import { sessionFacts } from './session-facts.js';
import { emptyTurn, type TurnView } from './turn-view.js';

const list = {
  defaultModel: 'claude-sonnet-5-5',
  provider: 'anthropic' as const,
  models: new ModelCatalogue().list().map(viewModel),
};
const usage = {
  inputTokens: 1_000_000,
  outputTokens: 100_000,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
};
const turn = (more: Partial<TurnView>): TurnView => ({ ...emptyTurn('turn_1'), ...more });

describe('sessionFacts', () => {
  it('has nothing of a session that nothing was said in', () => {
    expect(sessionFacts([], undefined, undefined)).toEqual({});
    expect(sessionFacts([], undefined, list)).toEqual({ usd: 0 });
  });

  it('has the latest model and context, and what all turns cost, each by its own price', () => {
    const views = [
      turn({ model: 'claude-opus-5', usage, contextTokens: 9 }),
      turn({ model: 'claude-sonnet-5-5', usage, contextTokens: 5_000 }),
      turn({ model: 'claude-haiku-4-5' }),
    ];
    expect(sessionFacts(views, 'claude-x', list)).toEqual({
      model: 'claude-haiku-4-5',
      contextTokens: 5_000,
      contextWindow: 200_000,
      usd: 5 + 2.5 + 2 + 1,
    });
  });

  it('says no model before the list of models tells which the stream means', () => {
    const views = [turn({ model: 'claude-sonnet-5-5', contextTokens: 7 })];
    expect(sessionFacts(views, undefined, undefined)).toEqual({ contextTokens: 7 });
  });

  it('takes the session’s model of turns that do not say theirs', () => {
    expect(sessionFacts([turn({ usage })], 'claude-sonnet-5-5', list)).toMatchObject({ usd: 3 });
  });

  it('has no cost where the price of one turn is not known', () => {
    const views = [turn({ model: 'claude-opus-5', usage }), turn({ model: 'llama', usage })];
    const facts = sessionFacts(views, undefined, list);
    expect(facts).toEqual({ model: 'llama' });
  });

  it('calls the offline model as the stream does, with the window of the one it plays', () => {
    const views = [turn({ model: 'claude-sonnet-5-5', usage, contextTokens: 7 })];
    expect(sessionFacts(views, 'rehearsal', { ...list, provider: 'rehearsal' })).toEqual({
      model: 'rehearsal',
      contextTokens: 7,
      contextWindow: 1_000_000,
    });
  });
});
