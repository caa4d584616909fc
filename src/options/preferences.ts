import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
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
