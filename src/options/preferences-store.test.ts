import { beforeEach, describe, expect, it } from '@jest/globals';
import { asc, eq } from 'drizzle-orm';
import { useDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { AuditLog } from '../access/audit-log.js';
import { auditLog } from '../storage/governance-schema.js';
import { userPreferences } from '../storage/schema.js';
import { PreferencesStore } from './preferences-store.js';
import { preferencesOf, viewAgentConfig, viewPreferences } from './preferences.js';

describe('SettingsStore', () => {
  const database = useDatabase();

  let clock: ManualClock;
  let store: PreferencesStore;
  beforeEach(async () => {
    await database.db.delete(userPreferences);
    clock = new ManualClock();
    store = new PreferencesStore(database.db, clock, new AuditLog(database.db, clock));
  });

  it('has nothing of a user who set nothing', async () => {
    expect(await store.get('a')).toEqual({});
    expect(await store.reset({ id: 'a' }, ['max_iterations'])).toEqual({});
    expect(await database.db.select().from(userPreferences)).toEqual([]);
  });

  it('adds a change to what is there, each user apart', async () => {
    expect(await store.change({ id: 'a' }, { oracle_model: 'm', max_iterations: 3 })).toEqual({
      oracle_model: 'm',
      max_iterations: 3,
    });
    await store.change({ id: 'b' }, { max_iterations: 9 });
    await clock.advance(1_000);
    const changed = { oracle_model: 'm', max_iterations: 4, token_budget: 1_000 };
    expect(await store.change({ id: 'a' }, { max_iterations: 4, token_budget: 1_000 })).toEqual(
      changed,
    );
    expect(await store.get('a')).toEqual(changed);
    expect(await store.get('b')).toEqual({ max_iterations: 9 });
    const rows = await database.db.select().from(userPreferences).orderBy(userPreferences.userId);
    expect(rows.map(({ userId, updatedAt }) => [userId, updatedAt.toISOString()])).toEqual([
      ['a', '2026-01-01T00:00:01.000Z'],
      ['b', '2026-01-01T00:00:00.000Z'],
    ]);
  });

  it('forgets some at a reset, and keeps the rest', async () => {
    await store.change(
      { id: 'a' },
      { oracle_model: 'm', max_iterations: 3, max_parallel_tools: 1 },
    );
    expect(await store.reset({ id: 'a' }, ['max_iterations', 'max_parallel_tools'])).toEqual({
      oracle_model: 'm',
    });
    expect(await store.get('a')).toEqual({ oracle_model: 'm' });
  });

  it('writes down the fields of a change and of a reset, without their values', async () => {
    await store.change({ id: 'noted' }, { max_iterations: 3 });
    await clock.advance(1_000);
    await store.reset({ id: 'noted' }, ['max_iterations']);
    const entries = await database.db
      .select({ action: auditLog.action, details: auditLog.details })
      .from(auditLog)
      .where(eq(auditLog.principalId, 'noted'))
      .orderBy(asc(auditLog.at));
    expect(entries).toEqual([
      { action: 'settings.changed', details: { fields: ['max_iterations'] } },
      { action: 'settings.changed', details: { reset: ['max_iterations'] } },
    ]);
  });
});

describe('preferencesOf', () => {
  it('has nothing of a user who set nothing, but on the oracle’s wire', () => {
    expect(preferencesOf({}, { isOracle: false })).toEqual({});
    expect(preferencesOf({}, { isOracle: true })).toEqual({
      thinking: true,
      contextNodes: 30,
      subagents: { timeoutSeconds: 1_200 },
    });
  });

  const all = {
    oracle_model: 'a',
    subagent_model: 'b',
    thinking_enabled: false,
    librarian_timeout: 60,
    max_context_nodes: 5,
  };
  const everywhere = {
    thinking: false,
    contextNodes: 5,
    subagents: { model: 'b', timeoutSeconds: 60 },
  };

  it('has what was set on every wire, the oracle’s model on its own', () => {
    expect(preferencesOf(all, { isOracle: false })).toEqual(everywhere);
    expect(preferencesOf(all, { isOracle: true })).toEqual({ ...everywhere, model: 'a' });
  });

  it('takes what is valid no more for what was not set', () => {
    const stored = { ...all, subagent_model: '', librarian_timeout: 59, max_context_nodes: '5' };
    expect(preferencesOf(stored, { isOracle: false })).toEqual({ thinking: false });
  });
});

const limits = {
  max_iterations: 15,
  soft_warning_percent: 70,
  token_budget: 50_000,
  token_warning_percent: 80,
  timeout_seconds: 120,
  max_tool_calls_per_turn: 5,
  max_parallel_tools: 3,
};
const others = {
  oracle_model: 'env-model',
  subagent_model: 'env-model',
  thinking_enabled: true,
  librarian_timeout: 1_200,
  max_context_nodes: 30,
};

describe('viewAgentConfig', () => {
  it.each([
    ['nothing', {}, {}],
    ['some fields', { max_iterations: 3 }, { max_iterations: 3 }],
    ['fields that are valid no more', { max_iterations: 51, token_budget: 'x' }, {}],
    ['other fields', { oracle_model: 'a', unknown: 1 }, {}],
  ])('is whole where a row has %s', (_what, stored, shown) => {
    expect(viewAgentConfig(stored)).toEqual({ ...limits, ...shown });
  });
});

describe('viewPreferences', () => {
  it.each([
    ['nothing', {}, {}],
    ['some fields', { thinking_enabled: false, timeout_seconds: 10 }, {}],
    ['a model', { oracle_model: 'a' }, {}],
    ['fields that are valid no more', { librarian_timeout: 59 }, { librarian_timeout: 1_200 }],
    ['a model that is none', { subagent_model: '' }, { subagent_model: 'env-model' }],
  ])('is whole where a row has %s', (_what, stored, shown) => {
    expect(viewPreferences(stored, 'env-model')).toEqual({
      ...others,
      ...limits,
      ...stored,
      ...shown,
    });
  });

  it('shows preferences alone', () => {
    expect(viewPreferences({ unknown: 1 }, 'env-model')).not.toHaveProperty('unknown');
  });
});
