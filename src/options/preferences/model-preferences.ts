import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  agentConfigToWire,
  defaultAgentConfig,
  validateAgentConfig,
} from '../../governance/decision-tree/agent-config.js';
import { compact } from '../../platform/compact.js';
import { preferenceDefaults, PreferencesDto } from './preferences.dto.js';

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
