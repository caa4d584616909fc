import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { CLOCK, type Clock } from '../../platform/clock.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import { prepared } from '../../storage/prepared.js';
import { userSettings } from '../../storage/conversation-schema.js';
import type { Settings } from './model-preferences.js';

/** What was set, and nothing else: a field that is missing has its default. Not checked. */
export type StoredSettings = Readonly<Record<string, unknown>>;

const selectSettings = prepared((db) =>
  db
    .select({ settings: userSettings.settings })
    .from(userSettings)
    .where(eq(userSettings.userId, sql.placeholder('userId')))
    .prepare('user_settings'),
);

const current = userSettings.settings;

/**
 * Settings as rows. A change is merged by the database, in one statement: two that are made at
 * once, of different fields, are both there afterwards.
 */
@Injectable()
export class SettingsStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Of a user who set nothing: none. */
  async get(userId: string): Promise<StoredSettings> {
    const [row] = await selectSettings(this.db).execute({ userId });
    return row?.settings ?? {};
  }

  /** @param patch fields that were checked. @returns all settings after the change. */
  async change(userId: string, patch: Settings): Promise<StoredSettings> {
    const updatedAt = new Date(this.clock.now());
    const merged = sql`(${current}::jsonb || excluded.settings::jsonb)::json`;
    const [row] = await this.db
      .insert(userSettings)
      .values({ userId, settings: patch, updatedAt })
      .onConflictDoUpdate({ target: userSettings.userId, set: { settings: merged, updatedAt } })
      .returning({ settings: current });
    if (row === undefined) throw new Error('The database returned no settings');
    return row.settings;
  }

  /** Forgets some settings; others stay. @returns all settings after the change. */
  async reset(userId: string, forgotten: readonly string[]): Promise<StoredSettings> {
    const names = forgotten.map((name) => sql`${name}::text`);
    const [row] = await this.db
      .update(userSettings)
      .set({
        settings: sql`(${current}::jsonb - array[${sql.join(names, sql`, `)}]::text[])::json`,
        updatedAt: new Date(this.clock.now()),
      })
      .where(eq(userSettings.userId, userId))
      .returning({ settings: current });
    return row?.settings ?? {};
  }
}
