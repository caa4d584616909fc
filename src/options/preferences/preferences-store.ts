import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { prepared } from '../../storage/statements.js';
import { userPreferences } from '../../storage/schema.js';
import type { PreferenceValues } from './model-preferences.js';

/** The saved values, unchecked; a missing field has its default. */
export type StoredPreferences = Readonly<Record<string, unknown>>;

const selectPreferences = prepared((db) =>
  db
    .select({ settings: userPreferences.settings })
    .from(userPreferences)
    .where(eq(userPreferences.userId, sql.placeholder('userId')))
    .prepare('user_settings'),
);

const current = userPreferences.settings;

/**
 * Preferences as rows. The database merges a change in one statement, so that two simultaneous changes
 * of different fields are both kept.
 */
@Injectable()
export class PreferencesStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @returns `{}` for a user who saved nothing. */
  async get(userId: string): Promise<StoredPreferences> {
    const [row] = await selectPreferences(this.db).execute({ userId });
    return row?.settings ?? {};
  }

  /** @param patch validated fields. @returns all saved values after the change. */
  async change(userId: string, patch: PreferenceValues): Promise<StoredPreferences> {
    const updatedAt = new Date(this.clock.now());
    const merged = sql`(${current}::jsonb || excluded.settings::jsonb)::json`;
    const [row] = await this.db
      .insert(userPreferences)
      .values({ userId, settings: patch, updatedAt })
      .onConflictDoUpdate({ target: userPreferences.userId, set: { settings: merged, updatedAt } })
      .returning({ settings: current });
    if (row === undefined) throw new Error('The database returned no preferences');
    return row.settings;
  }

  /** Removes the named values. @returns all saved values after the change. */
  async reset(userId: string, forgotten: readonly string[]): Promise<StoredPreferences> {
    const names = forgotten.map((name) => sql`${name}::text`);
    const [row] = await this.db
      .update(userPreferences)
      .set({
        settings: sql`(${current}::jsonb - array[${sql.join(names, sql`, `)}]::text[])::json`,
        updatedAt: new Date(this.clock.now()),
      })
      .where(eq(userPreferences.userId, userId))
      .returning({ settings: current });
    return row?.settings ?? {};
  }
}
