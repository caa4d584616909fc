import { Inject, Injectable } from '@nestjs/common';
import { eq, sql } from 'drizzle-orm';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { AuditLog } from '../access/audit-log.js';
import { CLOCK, type Clock } from '../platform/clock.js';
import { DATABASE, type Database } from '../storage/connection.js';
import { prepared } from '../storage/statements.js';
import { userPreferences } from '../storage/schema.js';
import {
  agentConfigToWire,
  defaultAgentConfig,
  validateAgentConfig,
} from '../governance/decision-tree/agent-config.js';
import { compact } from '../platform/compact.js';
import type { SubagentTerms } from '../storage/shapes/stored-options.js';
import { preferenceDefaults, PreferencesDto } from './preferences.dto.js';

/** The saved values, unchecked; a missing field has its default. */
export type StoredPreferences = Readonly<Record<string, unknown>>;

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
  async change(userId: string, given: PreferencesDto): Promise<StoredPreferences> {
    const patch = compact(given);
    const updatedAt = new Date(this.clock.now());
    const merged = sql`(${current}::jsonb || excluded.settings::jsonb)::json`;
    const [row] = await this.db
      .insert(userPreferences)
      .values({ userId, settings: patch, updatedAt })
      .onConflictDoUpdate({ target: userPreferences.userId, set: { settings: merged, updatedAt } })
      .returning({ settings: current });
    if (row === undefined) throw new Error('The database returned no preferences');
    await this.#note(userId, { fields: Object.keys(patch) });
    return row.settings;
  }

  /** Removes the named values. @returns all saved values after the change. */
  async reset(userId: string, given: readonly string[]): Promise<StoredPreferences> {
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
    await this.#note(userId, { reset: fields });
    return row?.settings ?? {};
  }

  /** Names of the changed fields, without their values. */
  #note(principalId: string, details: Record<string, unknown>): Promise<void> {
    const action = 'settings.changed';
    return this.audit.write({ principalId, action, subject: principalId, details });
  }
}

export type PreferenceValue = string | number | boolean;

/** Values by the names that wires and the database have. */
export type PreferenceValues = Record<string, PreferenceValue>;

/** The saved values that are still valid, by the rules of a change. */
export function validPreferences(
  stored: Readonly<Record<string, unknown>>,
): Readonly<PreferencesDto> {
  if (Object.keys(stored).length === 0) return {};
  const saved = plainToInstance(PreferencesDto, stored);
  for (const { property } of validateSync(saved, { whitelist: true })) {
    delete saved[property as keyof PreferencesDto];
  }
  return compact(saved);
}

/** Views the seven limits. A missing or no longer valid value has its default. */
export function viewAgentConfig(stored: Readonly<Record<string, unknown>>): Record<string, number> {
  return agentConfigToWire({ ...defaultAgentConfig, ...validateAgentConfig(stored).config });
}

/** Views all preferences, the limits among them. A missing or no longer valid value has its default. */
export function viewPreferences(
  stored: Readonly<Record<string, unknown>>,
  defaultModel: string,
): PreferenceValues {
  const models = { oracle_model: defaultModel, subagent_model: defaultModel };
  const saved = validPreferences(stored);
  return { ...models, ...preferenceDefaults, ...viewAgentConfig({}), ...saved };
}

/** A user's preferences for turns that name no value of their own. Absent: no preference. */
export interface Preferences {
  /** The turn's model. */
  model?: string;
  /** Whether the model thinks before it answers. */
  thinking?: boolean;
  /** Most files of a message, and results of a search, that the model is shown at once. */
  contextNodes?: number;
  /** Preferences for the turn's subagents. */
  subagents?: SubagentTerms;
}

/**
 * Converts stored preferences to a turn's. A saved value is in force on every wire; a missing value
 * has its default on the oracle's wire alone, whose contract the defaults are (decision 12). Pure.
 *
 * @param stored unchecked, from the database.
 */
export function preferencesOf(
  stored: Readonly<Record<string, unknown>>,
  { isOracle }: { isOracle: boolean },
): Preferences {
  const set = { ...(isOracle ? preferenceDefaults : {}), ...validPreferences(stored) };
  const subagents = compact({ model: set.subagent_model, timeoutSeconds: set.librarian_timeout });
  return compact({
    model: isOracle ? set.oracle_model : undefined,
    thinking: set.thinking_enabled,
    contextNodes: set.max_context_nodes,
    subagents: Object.keys(subagents).length === 0 ? undefined : subagents,
  });
}
