import { modelFields } from './model-preferences.js';
import type { SettingValue } from './preference-rules.js';
import type { SubagentTerms } from '../../storage/shapes/stored-options.js';

/** What a user wishes of turns that do not say themselves. Absent: no wish. */
export interface Preferences {
  /** Of the turn. */
  model?: string;
  /** Whether the model thinks before it answers. */
  thinking?: boolean;
  /** Most files of a message, and results of a search, that the model is shown at once. */
  contextNodes?: number;
  /** Of the agents that the turn delegates to. */
  subagents?: SubagentTerms;
}

/**
 * A user's settings as a turn has them. What was set holds on every wire; what was not set has its
 * default on the oracle's alone, whose settings these are (decision 20). Pure.
 *
 * @param stored as the database has it.
 */
export function preferencesOf(
  stored: Readonly<Record<string, unknown>>,
  { isOracle }: { isOracle: boolean },
): Preferences {
  const fields = modelFields.map(({ wireName, rule, default: fallback }) => [
    wireName,
    rule.read(stored[wireName]) ?? (isOracle ? fallback : undefined),
  ]);
  const set = Object.fromEntries(fields) as Record<string, SettingValue | undefined>;
  const [model, ofSubagents] = [textOf(set['oracle_model']), textOf(set['subagent_model'])];
  const thinking = set['thinking_enabled'];
  const timeoutSeconds = numberOf(set['librarian_timeout']);
  const contextNodes = numberOf(set['max_context_nodes']);
  return {
    ...(isOracle && model !== undefined ? { model } : {}),
    ...(typeof thinking === 'boolean' ? { thinking } : {}),
    ...(contextNodes === undefined ? {} : { contextNodes }),
    ...(ofSubagents === undefined && timeoutSeconds === undefined
      ? {}
      : {
          subagents: {
            ...(ofSubagents === undefined ? {} : { model: ofSubagents }),
            ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
          },
        }),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;
