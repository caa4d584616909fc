import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openTestDatabase } from '../../test/support/database/database.js';
import { ManualClock } from '../../test/support/manual-clock.js';
import { AuditLog } from '../access/audit-log.js';
import type { OpenedDatabase } from '../storage/connection.js';
import { userPreferences } from '../storage/schema.js';
import { PreferencesStore } from './preferences-store.js';

describe('SettingsStore', () => {
  let database: OpenedDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  });
  afterAll(() => database.close());

  let clock: ManualClock;
  let store: PreferencesStore;
  beforeEach(async () => {
    await database.db.delete(userPreferences);
    clock = new ManualClock();
    store = new PreferencesStore(database.db, clock, new AuditLog(database.db, clock));
  });

  it('has nothing of a user who set nothing', async () => {
    expect(await store.get('a')).toEqual({});
    expect(await store.reset('a', ['max_iterations'])).toEqual({});
    expect(await database.db.select().from(userPreferences)).toEqual([]);
  });

  it('adds a change to what is there, each user apart', async () => {
    expect(await store.change('a', { oracle_model: 'm', max_iterations: 3 })).toEqual({
      oracle_model: 'm',
      max_iterations: 3,
    });
    await store.change('b', { max_iterations: 9 });
    await clock.advance(1_000);
    const changed = { oracle_model: 'm', max_iterations: 4, token_budget: 1_000 };
    expect(await store.change('a', { max_iterations: 4, token_budget: 1_000 })).toEqual(changed);
    expect(await store.get('a')).toEqual(changed);
    expect(await store.get('b')).toEqual({ max_iterations: 9 });
    const rows = await database.db.select().from(userPreferences).orderBy(userPreferences.userId);
    expect(rows.map(({ userId, updatedAt }) => [userId, updatedAt.toISOString()])).toEqual([
      ['a', '2026-01-01T00:00:01.000Z'],
      ['b', '2026-01-01T00:00:00.000Z'],
    ]);
  });

  it('forgets some at a reset, and keeps the rest', async () => {
    await store.change('a', { oracle_model: 'm', max_iterations: 3, max_parallel_tools: 1 });
    expect(await store.reset('a', ['max_iterations', 'max_parallel_tools'])).toEqual({
      oracle_model: 'm',
    });
    expect(await store.get('a')).toEqual({ oracle_model: 'm' });
  });
});
