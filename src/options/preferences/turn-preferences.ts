import { compact } from '../../platform/compact.js';
import { validPreferences } from './model-preferences.js';
import { preferenceDefaults } from './preferences.dto.js';
import type { SubagentTerms } from '../../storage/shapes/stored-options.js';

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
 * has its default on the oracle's wire alone, whose contract the defaults are (decision 20). Pure.
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
