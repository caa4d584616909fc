import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TurnpikeError } from '../../../src/client/client-errors.js';
import type { AgentConfigSettings } from '../../../src/client/turnpike-client.js';
import { AgentSettings } from './agent-settings.js';

const defaults: AgentConfigSettings = {
  max_iterations: 15,
  soft_warning_percent: 70,
  token_budget: 50_000,
  token_warning_percent: 80,
  timeout_seconds: 120,
  max_tool_calls_per_turn: 5,
  max_parallel_tools: 3,
};

/** As the server is with these: a budget over 200,000 is refused, and nothing of its change saved. */
function fakeServer() {
  const updates: object[] = [];
  let saved = defaults;
  return {
    updates,
    get: async () => saved,
    reset: async () => (saved = defaults),
    update: async (change: Partial<AgentConfigSettings>) => {
      updates.push(change);
      if ((change.token_budget ?? 0) > 200_000) {
        const details = [{ loc: ['body', 'token_budget'], msg: 'too much', type: 'x' }];
        const facts = { status: 422, message: 'too much', retryable: false, details };
        throw new TurnpikeError('INVALID_REQUEST', facts);
      }
      return (saved = { ...saved, ...change });
    },
  };
}

describe('AgentSettings', () => {
  beforeEach(() => {
    // Timers alone: jest itself needs the rest.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  async function open() {
    const server = fakeServer();
    const settings = new AgentSettings(server, () => undefined);
    await settings.load();
    return { server, settings, state: () => settings.state.get() };
  }

  it('saves what was changed last, when it was quiet for 800 ms', async () => {
    const { server, settings, state } = await open();
    settings.set('max_iterations', 20);
    await jest.advanceTimersByTimeAsync(700);
    settings.set('max_iterations', 21);
    settings.set('timeout_seconds', 60);
    await jest.advanceTimersByTimeAsync(799);
    expect(server.updates).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(server.updates).toEqual([{ max_iterations: 21, timeout_seconds: 60 }]);
    expect(state()).toMatchObject({ status: 'saved', drafts: {}, saved: { max_iterations: 21 } });
  });

  it('keeps what was refused with what is said of it, and saves the rest', async () => {
    const { server, settings, state } = await open();
    settings.set('token_budget', 999_999);
    settings.set('max_parallel_tools', 4);
    await jest.advanceTimersByTimeAsync(800);
    expect(server.updates.at(-1)).toEqual({ max_parallel_tools: 4 });
    expect(state()).toMatchObject({
      drafts: { token_budget: 999_999 },
      problems: { token_budget: 'too much' },
      saved: { max_parallel_tools: 4, token_budget: 50_000 },
    });
    settings.set('token_budget', 60_000);
    expect(state().problems).toEqual({});
    settings.close();
    await jest.advanceTimersByTimeAsync(0);
    expect(state()).toMatchObject({ drafts: {}, saved: { token_budget: 60_000 } });
  });

  it('goes back to the defaults, and forgets what was not saved', async () => {
    const { server, settings, state } = await open();
    settings.set('max_iterations', 20);
    await settings.reset();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(server.updates).toEqual([]);
    expect(state()).toEqual({ status: 'saved', drafts: {}, problems: {}, saved: defaults });
  });
});
