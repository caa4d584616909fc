import {
  agentConfigFields,
  agentConfigToWire,
  defaultAgentConfig,
  validateAgentConfig,
} from '../../governance/decision-tree/agent-config.js';
import type { AgentConfig } from '../../storage/shapes/stored-limits.js';
import { isUnlimited } from '../free-limits.js';
import type { Provenance } from '../../storage/shapes/stored-options.js';
import { resolveLimits } from '../resolve-limits.js';
import { chooseModel } from '../early-options.js';
import type { OptionSources } from '../option-sources.js';
import { agentConfigSchema, type DescribedField } from './describe-fields.js';
import { modelFields } from './model-preferences.js';
import { preferencesOf } from './turn-preferences.js';
import type { PreferenceValue } from './preference-rules.js';

/** The wires, as the API's description names them. */
const wires = ['harness', 'named-agents', 'ag-ui', 'ai-sdk', 'oracle'] as const;
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
  schema: DescribedField;
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
 * Resolves a user's preferences for each wire, as the options of a turn are resolved (decision 20). Pure.
 *
 * @param stored unchecked, from the database.
 */
export function resolvePreferences(
  stored: Readonly<Record<string, unknown>>,
  server: ServerDefaults,
): EffectivePreference[] {
  const user = validateAgentConfig(stored).config;
  const savedLimits = agentConfigToWire(user);
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
  const view = (name: string, schema: DescribedField, saved: PreferenceValue | undefined) => ({
    name,
    schema,
    saved: saved ?? null,
    effective: byWire(name, found),
  });
  const limits = Object.entries(agentConfigSchema.properties).map(([name, schema]) =>
    view(name, schema, savedLimits[name]),
  );
  const models = modelFields.map(({ wireName, rule, default: fallback, meaning }) => {
    const defaults = fallback === undefined ? {} : { default: fallback };
    const schema = { ...rule.schema, ...defaults, description: meaning };
    return view(wireName, schema, rule.parse(stored[wireName]));
  });
  return [...limits, ...models];
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
  const inForce = modelFields.map(({ wireName, rule }): [string, ValueInForce] => {
    const isSaved = rule.parse(stored[wireName]) !== undefined;
    return [wireName, { value: values[wireName] ?? null, from: isSaved ? 'user' : 'default' }];
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
