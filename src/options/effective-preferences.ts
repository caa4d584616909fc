import { ApiProperty } from '@nestjs/swagger';
import {
  agentConfigFields,
  agentConfigToWire,
  defaultAgentConfig,
  validateAgentConfig,
} from '../governance/decision-tree/agent-config.js';
import type { AgentConfig, Provenance } from '../storage/shapes/stored-options.js';
import { compact } from '../platform/compact.js';
import { isUnlimited, resolveLimits } from './resolve-limits.js';
import { chooseModel } from './option-rules.js';
import type { OptionSources } from './option-rule.js';
import { listOf } from '../http/fields/json-schemas.js';
import { validPreferences, type PreferenceValue, preferencesOf } from './preferences.js';
import {
  limitNames,
  preferenceDefaults,
  preferenceNames,
  PreferencesDto,
} from './preferences.dto.js';

/** Names of the preferences beside the limits. */
const modelNames = preferenceNames.filter((name) => !limitNames.includes(name));

/** Values where nothing is saved; models have the server's. */
const defaults: Partial<Record<string, PreferenceValue>> = {
  ...agentConfigToWire(defaultAgentConfig),
  ...preferenceDefaults,
};

/** JSON schema of a field with a single value. */
interface FieldSchema {
  type: 'integer' | 'boolean' | 'string';
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  description: string;
}

/** The wires, as the API's description names them. */
const wires = ['harness', 'named-agents', 'ag-ui', 'ai-sdk', 'responses', 'oracle'] as const;
export type PreferenceWire = (typeof wires)[number];

export interface ValueInForce {
  /** Null where no tier has a value; see `EffectivePreference` for its meaning. */
  value: PreferenceValue | null;
  from: Provenance;
}

/** A user's preference: the saved value, and the values that turns run with. */
export interface EffectivePreference {
  /** The field's name in a `PUT`. */
  name: string;
  schema: FieldSchema & { default?: PreferenceValue };
  /** Null where nothing was saved, or nothing that is still valid. */
  saved: PreferenceValue | null;
  /**
   * Values for a turn whose request, session and agent name none. Null means: no limit of tokens; for
   * subagents the model and the time of the turn that delegates; all files, and 200 results of a search.
   */
  effective: Record<PreferenceWire, ValueInForce>;
}

export interface ServerDefaults {
  /** Limits where nobody sets any, on every wire but the oracle's. */
  limits: Readonly<AgentConfig>;
  /** Tiers of the environment and of the instruction root. */
  options: OptionSources['defaults'];
}

/**
 * Resolves a user's preferences for each wire, as the options of a turn are resolved (decision 12). Pure.
 *
 * @param stored unchecked, from the database.
 */
export function resolvePreferences(
  stored: Readonly<Record<string, unknown>>,
  server: ServerDefaults,
): EffectivePreference[] {
  const user = validateAgentConfig(stored).config;
  const saved: Partial<Record<string, PreferenceValue>> = {
    ...validPreferences(stored),
  };
  const found = wires.map((wire): [PreferenceWire, Record<string, ValueInForce>] => {
    const isOracle = wire === 'oracle';
    const limits = isOracle ? defaultAgentConfig : server.limits;
    return [
      wire,
      {
        ...limitsInForce(user, { ...server, limits }),
        ...modelsInForce(stored, { isOracle, defaults: server.options }),
      },
    ];
  });
  return [...limitNames, ...modelNames].map((name) => ({
    name,
    schema: { ...documentedSchema(PreferencesDto, name), ...compact({ default: defaults[name] }) },
    saved: saved[name] ?? null,
    effective: byWire(name, found),
  }));
}

function limitsInForce(
  user: Partial<AgentConfig>,
  { limits, options }: ServerDefaults,
): Record<string, ValueInForce> {
  const { config, provenance } = resolveLimits({
    opts: undefined,
    maxTurns: undefined,
    session: {},
    persona: {},
    user,
    instructions: options.agentsConfig ?? {},
    fallback: limits,
  });
  return Object.fromEntries(
    agentConfigFields.map(({ name, wireName }) => {
      const value = isUnlimited(config[name]) ? null : config[name];
      return [wireName, { value, from: provenance[name] }];
    }),
  );
}

function modelsInForce(
  stored: Readonly<Record<string, unknown>>,
  { isOracle, defaults }: { isOracle: boolean; defaults: OptionSources['defaults'] },
): Record<string, ValueInForce> {
  const preferences = preferencesOf(stored, { isOracle });
  const { thinking, contextNodes, subagents } = preferences;
  const { named } = chooseModel({ opts: undefined, persona: {}, preferences, defaults });
  const values: Record<string, PreferenceValue | null> = {
    subagent_model: subagents?.model ?? null,
    thinking_enabled: thinking ?? false,
    librarian_timeout: subagents?.timeoutSeconds ?? null,
    max_context_nodes: contextNodes ?? null,
  };
  const saved = validPreferences(stored);
  const inForce = modelNames.map((name): [string, ValueInForce] => {
    const from = Object.hasOwn(saved, name) ? 'user' : 'default';
    return [name, { value: values[name] ?? null, from }];
  });
  return { ...Object.fromEntries(inForce), oracle_model: named };
}

function byWire(
  name: string,
  found: readonly [PreferenceWire, Record<string, ValueInForce>][],
): Record<PreferenceWire, ValueInForce> {
  const entries = found.map(([wire, values]) => [wire, values[name]]);
  // Each wire has each name: both come from the same lists.
  return Object.fromEntries(entries) as Record<PreferenceWire, ValueInForce>;
}

/** Where the documentation's decorators keep what they say of a field. */
const DOCUMENTED = 'swagger/apiModelProperties';

/** The schema of a field, as its decorators document it. */
function documentedSchema(type: abstract new () => object, field: string): FieldSchema {
  const documented: unknown = Reflect.getMetadata(DOCUMENTED, type.prototype as object, field);
  const {
    required: _required,
    isArray: _isArray,
    ...schema
  } = documented as FieldSchema & {
    required: boolean;
    isArray: boolean;
  };
  return schema;
}

export class EffectivePreferencesDto {
  @ApiProperty(listOf('EffectivePreference')) settings!: EffectivePreference[];
}
