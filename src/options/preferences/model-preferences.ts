import {
  agentConfigFields,
  agentConfigToWire,
  defaultAgentConfig,
  validateAgentConfig,
} from '../../governance/decision-tree/agent-config.js';
import {
  booleanRule,
  modelRule,
  integerRule,
  type PreferenceRule,
  type PreferenceValue,
} from './preference-rules.js';

/** Values by the names that wires and the database have. */
export type PreferenceValues = Record<string, PreferenceValue>;

export interface ModelField {
  wireName: string;
  rule: PreferenceRule;
  /** Absent: the server's default model. */
  default?: PreferenceValue;
  meaning: string;
}

/** A user's preferences beside the limits (`agentConfigFields`). */
export const modelFields: readonly ModelField[] = [
  { wireName: 'oracle_model', rule: modelRule, meaning: 'Model of the oracle’s turns.' },
  {
    wireName: 'subagent_model',
    rule: modelRule,
    meaning: 'Model of subagents whose file names none.',
  },
  {
    wireName: 'thinking_enabled',
    rule: booleanRule,
    default: true,
    meaning: 'Whether the model is asked to think where the request names no preference.',
  },
  {
    wireName: 'librarian_timeout',
    rule: integerRule({ min: 60, max: 3_600 }),
    default: 1_200,
    meaning: 'Longest time of a subagent, in seconds.',
  },
  {
    wireName: 'max_context_nodes',
    rule: integerRule({ min: 5, max: 100 }),
    default: 30,
    meaning: 'Most files of a message, and results of a search, that the model is shown at once.',
  },
];

/** Views the seven limits. A missing or no longer valid value has its default. */
export function viewAgentConfig(stored: Readonly<Record<string, unknown>>): Record<string, number> {
  return agentConfigToWire({ ...defaultAgentConfig, ...validateAgentConfig(stored).config });
}

/** Views all preferences, the limits among them. A missing or no longer valid value has its default. */
export function viewPreferences(
  stored: Readonly<Record<string, unknown>>,
  defaultModel: string,
): PreferenceValues {
  const own = modelFields.map(({ wireName, rule, default: fallback = defaultModel }) => [
    wireName,
    rule.parse(stored[wireName]) ?? fallback,
  ]);
  return { ...Object.fromEntries(own), ...viewAgentConfig(stored) };
}

/** The names that each route takes. */
export const preferenceNames = {
  agentConfig: agentConfigFields.map(({ wireName }) => wireName),
  models: [...modelFields, ...agentConfigFields].map(({ wireName }) => wireName),
};
