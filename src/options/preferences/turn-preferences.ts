import { compact } from '../../platform/compact.js';
import { modelFields } from './model-preferences.js';
import type { PreferenceValue } from './preference-rules.js';
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
  const fields = modelFields.map(({ wireName, rule, default: fallback }) => [
    wireName,
    rule.parse(stored[wireName]) ?? (isOracle ? fallback : undefined),
  ]);
  const set = Object.fromEntries(fields) as Record<string, PreferenceValue | undefined>;
  const [model, ofSubagents] = [textOf(set['oracle_model']), textOf(set['subagent_model'])];
  const thinking = set['thinking_enabled'];
  const timeoutSeconds = numberOf(set['librarian_timeout']);
  const contextNodes = numberOf(set['max_context_nodes']);
  const subagents = compact({ model: ofSubagents, timeoutSeconds });
  return compact({
    model: isOracle ? model : undefined,
    thinking: typeof thinking === 'boolean' ? thinking : undefined,
    contextNodes,
    subagents: Object.keys(subagents).length === 0 ? undefined : subagents,
  });
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
