import {
  agentConfigFields,
  agentConfigToWire,
  defaultAgentConfig,
  readAgentConfig,
} from '../../governance/decision-tree/agent-config.js';
import {
  flag,
  modelName,
  wholeNumber,
  type SettingRule,
  type SettingValue,
} from './preference-rules.js';

/** By the names that wires and the database have. */
export type Settings = Record<string, SettingValue>;

export interface ModelField {
  wireName: string;
  rule: SettingRule;
  /** Absent: the server's default model. */
  default?: SettingValue;
  meaning: string;
}

/** The settings of a user that are no limits; those are `agentConfigFields`. */
export const modelFields: readonly ModelField[] = [
  { wireName: 'oracle_model', rule: modelName, meaning: 'Model of the oracle’s turns.' },
  {
    wireName: 'subagent_model',
    rule: modelName,
    meaning: 'Model of subagents whose file names none.',
  },
  {
    wireName: 'thinking_enabled',
    rule: flag,
    default: true,
    meaning: 'Whether the model is asked to think where the request does not say.',
  },
  {
    wireName: 'librarian_timeout',
    rule: wholeNumber({ min: 60, max: 3_600 }),
    default: 1_200,
    meaning: 'Longest time of a subagent, in seconds.',
  },
  {
    wireName: 'max_context_nodes',
    rule: wholeNumber({ min: 5, max: 100 }),
    default: 30,
    meaning: 'Most files of a message, and results of a search, that the model is shown at once.',
  },
];

/** All seven limits. What is missing, or no longer valid, has its default. */
export function viewAgentConfig(stored: Readonly<Record<string, unknown>>): Record<string, number> {
  return agentConfigToWire({ ...defaultAgentConfig, ...readAgentConfig(stored).config });
}

/** Everything, the limits among it. What is missing, or no longer valid, has its default. */
export function viewSettings(
  stored: Readonly<Record<string, unknown>>,
  defaultModel: string,
): Settings {
  const own = modelFields.map(({ wireName, rule, default: fallback = defaultModel }) => [
    wireName,
    rule.read(stored[wireName]) ?? fallback,
  ]);
  return { ...Object.fromEntries(own), ...viewAgentConfig(stored) };
}

/** The names that each route takes. */
export const settingNames = {
  agentConfig: agentConfigFields.map(({ wireName }) => wireName),
  models: [...modelFields, ...agentConfigFields].map(({ wireName }) => wireName),
};
