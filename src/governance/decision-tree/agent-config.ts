import type { AgentConfig } from '../../storage/shapes/stored-options.js';

export interface AgentConfigField {
  name: keyof AgentConfig;
  /** The field's name on the wire and in the database. */
  wireName: string;
  default: number;
  /** Least and greatest valid value. */
  min: number;
  max: number;
  meaning: string;
}

/** All fields with defaults and bounds (contract: oracle, section 3). Values are whole numbers. */
export const agentConfigFields: readonly AgentConfigField[] = [
  {
    name: 'maxIterations',
    wireName: 'max_iterations',
    default: 15,
    min: 1,
    max: 50,
    meaning: 'Most model calls of a turn.',
  },
  {
    name: 'softWarningPercent',
    wireName: 'soft_warning_percent',
    default: 70,
    min: 50,
    max: 90,
    meaning:
      'Percentage of the iterations, and of the time, at which the model and the client are warned.',
  },
  {
    name: 'tokenBudget',
    wireName: 'token_budget',
    default: 50_000,
    min: 1_000,
    max: 200_000,
    meaning: 'Most tokens that a turn adds to its conversation.',
  },
  {
    name: 'tokenWarningPercent',
    wireName: 'token_warning_percent',
    default: 80,
    min: 50,
    max: 95,
    meaning: 'Percentage of the token budget at which the model and the client are warned.',
  },
  {
    name: 'timeoutSeconds',
    wireName: 'timeout_seconds',
    default: 120,
    min: 10,
    max: 600,
    meaning: 'Longest time of a turn, in seconds.',
  },
  {
    name: 'maxToolCallsPerTurn',
    wireName: 'max_tool_calls_per_turn',
    default: 5,
    min: 1,
    max: 20,
    meaning: 'Most tool calls of one iteration; more are answered with an error and do not run.',
  },
  {
    name: 'maxParallelTools',
    wireName: 'max_parallel_tools',
    default: 3,
    min: 1,
    max: 10,
    meaning: 'Most tools that run at a time.',
  },
];

export const defaultAgentConfig: Readonly<AgentConfig> = Object.fromEntries(
  agentConfigFields.map((one) => [one.name, one.default]),
) as Record<keyof AgentConfig, number>;

export interface ConfigProblem {
  field: AgentConfigField;
  value: unknown;
  /** Names field, value and bounds. */
  message: string;
}

/**
 * Validates the known fields of a wire object; other fields are ignored.
 *
 * @returns the valid fields, and a problem for each invalid one.
 */
export function validateAgentConfig(given: Readonly<Record<string, unknown>>): {
  config: Partial<AgentConfig>;
  problems: ConfigProblem[];
} {
  const config: Partial<AgentConfig> = {};
  const problems: ConfigProblem[] = [];
  for (const one of agentConfigFields) {
    const value = given[one.wireName];
    if (value === undefined) continue;
    if (isWithin(value, one)) config[one.name] = value;
    else problems.push({ field: one, value, message: describeProblem(one, value) });
  }
  return { config, problems };
}

/** The config with wire names. */
export function agentConfigToWire(config: Partial<AgentConfig>): Record<string, number> {
  return Object.fromEntries(
    agentConfigFields.flatMap(({ name, wireName }) => {
      const value = config[name];
      return value === undefined ? [] : [[wireName, value]];
    }),
  );
}

function isWithin(value: unknown, { min, max }: AgentConfigField): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function describeProblem({ wireName, min, max }: AgentConfigField, value: unknown): string {
  return `${wireName} must be a whole number from ${min} to ${max}, not ${JSON.stringify(value)}`;
}
