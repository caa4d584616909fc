/** The label and control of a setting. */
export interface SettingLook {
  label: string;
  /** The step of the slider, for numbers. */
  step: number;
  unit: string;
  /** The words for no value. */
  none: string;
  /** Whether the setting is of the oracle API alone. */
  isOracleOwn?: boolean;
  /** What to know beside the description. */
  about?: string;
}

const number = { step: 1, unit: '', none: '' };
const choice = { step: 1, unit: '', none: 'none' };

/** The limits by name, in the order of the page. */
export const limitLooks: Readonly<Record<string, SettingLook>> = {
  max_iterations: { ...number, label: 'Model calls' },
  soft_warning_percent: { ...number, label: 'Warn at', step: 5, unit: '%' },
  token_budget: {
    label: 'Token budget',
    step: 1_000,
    unit: 'tokens',
    none: 'no limit',
  },
  token_warning_percent: { ...number, label: 'Warn about tokens at', step: 5, unit: '%' },
  timeout_seconds: { ...number, label: 'Time limit', step: 10, unit: 's' },
  max_tool_calls_per_turn: { ...number, label: 'Tool calls after one model call' },
  max_parallel_tools: { ...number, label: 'Tools at the same time' },
};

export const modelLooks: Readonly<Record<string, SettingLook>> = {
  oracle_model: { ...choice, label: 'Model of the oracle API', isOracleOwn: true },
  subagent_model: {
    ...choice,
    label: 'Model of subagents',
    none: 'the model of the turn that starts them',
  },
  thinking_enabled: {
    ...choice,
    label: 'Thinking',
    about: 'Messages from this console use the switch below the message.',
  },
  librarian_timeout: {
    label: 'Time limit of a subagent',
    step: 60,
    unit: 's',
    none: 'the time of the turn that starts it',
  },
  max_context_nodes: {
    ...number,
    label: 'Files and search results in one answer',
    none: 'all files, 200 results',
  },
};
