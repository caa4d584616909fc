import type { Actor } from '../access/principal.js';
import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { AuditLog } from '../access/audit-log.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { prepared } from '../storage/statements.js';
import { userPreferences } from '../storage/schema.js';
import { compact } from '../platform/compact.js';
import type { PreferencesDto } from './preferences.dto.js';
import type { StoredPreferences } from './preferences.js';

const selectPreferences = prepared('user_settings', (db, name) =>
  db
    .select({ settings: userPreferences.settings })
    .from(userPreferences)
    .where(eq(userPreferences.userId, sql.placeholder('userId')))
    .prepare(name),
);

const current = userPreferences.settings;

/**
 * The saved preferences of users. The database merges a change in one statement, so that two simultaneous changes
 * of different fields are both kept.
 */
@Injectable()
export class PreferencesStore {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** @returns `{}` for a user who saved nothing. */
  async get(userId: string): Promise<StoredPreferences> {
    const [row] = await selectPreferences(this.db).execute({ userId });
    return row?.settings ?? {};
  }

  /** @param given validated fields. @returns all saved values after the change. */
  async change(by: Actor, given: PreferencesDto): Promise<StoredPreferences> {
    const { id: userId } = by;
    const patch = compact(given);
    const updatedAt = new Date(this.clock.now());
    const merged = sql`(${current}::jsonb || excluded.settings::jsonb)::json`;
    const [row] = await this.db
      .insert(userPreferences)
      .values({ userId, settings: patch, updatedAt })
      .onConflictDoUpdate({ target: userPreferences.userId, set: { settings: merged, updatedAt } })
      .returning({ settings: current });
    if (row === undefined) throw new Error('The database returned no preferences');
    await this.#note(by, { fields: Object.keys(patch) });
    return row.settings;
  }

  /** Removes the named values. @returns all saved values after the change. */
  async reset(by: Actor, given: readonly string[]): Promise<StoredPreferences> {
    const { id: userId } = by;
    const fields = [...new Set(given)];
    const names = fields.map((name) => sql`${name}::text`);
    const [row] = await this.db
      .update(userPreferences)
      .set({
        settings: sql`(${current}::jsonb - array[${sql.join(names, sql`, `)}]::text[])::json`,
        updatedAt: new Date(this.clock.now()),
      })
      .where(eq(userPreferences.userId, userId))
      .returning({ settings: current });
    await this.#note(by, { reset: fields });
    return row?.settings ?? {};
  }

  /** Names of the changed fields, without their values. */
  #note(by: Actor, details: Record<string, unknown>): Promise<void> {
    return this.audit.write({ by, action: 'settings.changed', subject: by.id, details });
  }
}
