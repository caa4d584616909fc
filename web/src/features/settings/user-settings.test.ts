import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TurnpikeError } from '#src/client/transport/client-errors.js';
import type { EffectiveSetting, Settings } from '#src/client/turnpike-client.js';
import { UserSettings } from './user-settings.js';

const names = ['max_iterations', 'token_budget', 'max_parallel_tools', 'oracle_model'];

function settingOf(name: string, saved: EffectiveSetting['saved']): EffectiveSetting {
  const inForce = { value: saved, from: 'user' as const };
  const all = {
    harness: inForce,
    'named-agents': inForce,
    'ag-ui': inForce,
    'ai-sdk': inForce,
    responses: inForce,
  };
  const schema = { type: 'integer' as const, description: '' };
  return { name, schema, saved, effective: { ...all, oracle: inForce } };
}

/** As the server is with these: a budget over 200,000 is refused, and nothing of its change saved. */
function fakeServer() {
  const updates: object[] = [];
  let saved: Settings = {};
  const view = () => names.map((name) => settingOf(name, saved[name] ?? null));
  return {
    updates,
    get: async () => view(),
    reset: async (forgotten: readonly string[] = names) => {
      saved = Object.fromEntries(
        Object.entries(saved).filter(([name]) => !forgotten.includes(name)),
      );
      return view();
    },
    update: async (change: Settings) => {
      updates.push(change);
      if (Number(change['token_budget'] ?? 0) > 200_000) {
        const details = [{ loc: ['body', 'token_budget'], msg: 'too much', type: 'x' }];
        const facts = { status: 422, message: 'too much', retryable: false, details };
        throw new TurnpikeError('INVALID_REQUEST', facts);
      }
      saved = { ...saved, ...change };
      return view();
    },
  };
}

describe('UserSettings', () => {
  beforeEach(() => {
    // Timers alone: jest itself needs the rest.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  async function open() {
    const server = fakeServer();
    const settings = new UserSettings(server, () => undefined);
    await settings.load();
    const state = () => settings.state.get();
    const saved = () =>
      Object.fromEntries(
        (state().saved ?? []).flatMap((one) => (one.saved === null ? [] : [[one.name, one.saved]])),
      );
    return { server, settings, state, saved };
  }

  it('saves what was changed last, when it was quiet for 800 ms', async () => {
    const { server, settings, state, saved } = await open();
    settings.set('max_iterations', 20);
    await jest.advanceTimersByTimeAsync(700);
    settings.set('max_iterations', 21);
    settings.set('oracle_model', 'claude-x');
    await jest.advanceTimersByTimeAsync(799);
    expect(server.updates).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(server.updates).toEqual([{ max_iterations: 21, oracle_model: 'claude-x' }]);
    expect(state()).toMatchObject({ status: 'saved', drafts: {} });
    expect(saved()).toEqual({ max_iterations: 21, oracle_model: 'claude-x' });
  });

  it('keeps what was refused with what is said of it, and saves the rest', async () => {
    const { server, settings, state, saved } = await open();
    settings.set('token_budget', 999_999);
    settings.set('max_parallel_tools', 4);
    await jest.advanceTimersByTimeAsync(800);
    expect(server.updates.at(-1)).toEqual({ max_parallel_tools: 4 });
    expect(state()).toMatchObject({
      drafts: { token_budget: 999_999 },
      problems: { token_budget: 'too much' },
      status: 'saved',
    });
    expect(saved()).toEqual({ max_parallel_tools: 4 });
    settings.set('token_budget', 60_000);
    expect(state().problems).toEqual({});
    settings.close();
    await jest.advanceTimersByTimeAsync(0);
    expect(state().drafts).toEqual({});
    expect(saved()).toEqual({ max_parallel_tools: 4, token_budget: 60_000 });
  });

  it('forgets one, whether it was saved, refused or only entered, and saves the others', async () => {
    const { settings, state, saved } = await open();
    settings.set('max_iterations', 20);
    await jest.advanceTimersByTimeAsync(800);
    settings.set('max_parallel_tools', 2);
    await settings.reset(['max_iterations']);
    expect([saved(), state().status]).toEqual([{}, 'unsaved']);
    await jest.advanceTimersByTimeAsync(800);
    expect([saved(), state().status]).toEqual([{ max_parallel_tools: 2 }, 'saved']);
    settings.set('token_budget', 999_999);
    await jest.advanceTimersByTimeAsync(800);
    await settings.reset(['token_budget']);
    expect(state()).toMatchObject({ drafts: {}, problems: {}, status: 'saved' });
  });

  it('goes back to the defaults, and forgets what was not saved', async () => {
    const { server, settings, state, saved } = await open();
    settings.set('max_iterations', 20);
    await settings.reset();
    await jest.advanceTimersByTimeAsync(2_000);
    expect(server.updates).toEqual([]);
    expect(state()).toMatchObject({ status: 'saved', drafts: {}, problems: {} });
    expect(saved()).toEqual({});
  });
});
