import { compact } from '../platform/compact.js';
import {
  agentConfigFields,
  validateAgentConfig,
  type ConfigProblem,
} from '../governance/decision-tree/agent-config.js';
import type { AgentConfig, Provenance } from '../storage/shapes/stored-options.js';
import { isPlainObject } from '../platform/json.js';

/** Tiers of limits: the first that has a field decides it. */
export interface LimitSources {
  /** `opts.agentConfig` as received: an object with wire names. */
  opts: unknown;
  /** `opts.maxTurns`, when valid: it may exceed the bounds of an agent's config. */
  maxTurns: number | undefined;
  session: Partial<AgentConfig>;
  persona: Partial<AgentConfig>;
  user: Partial<AgentConfig>;
  instructions: Partial<AgentConfig>;
  /** Limits where no tier sets any. */
  fallback: Readonly<AgentConfig>;
}

export interface LimitResolution {
  config: AgentConfig;
  provenance: Record<keyof AgentConfig, Provenance>;
  /** Invalid fields of `opts.agentConfig`, which the next tier decides. */
  problems: ConfigProblem[];
}

/** Resolves a turn's limits, field by field. Pure. */
export function resolveLimits(sources: LimitSources): LimitResolution {
  const { opts, maxTurns, session, persona, user, instructions, fallback } = sources;
  const given = validateAgentConfig(isPlainObject(opts) ? opts : {});
  const tiers: [Provenance, Partial<AgentConfig>][] = [
    ['opts', { ...given.config, ...compact({ maxIterations: maxTurns }) }],
    ['session', session],
    ['persona', persona],
    ['user', user],
    ['instructions', instructions],
  ];
  const config = { ...fallback };
  const provenance: Partial<Record<keyof AgentConfig, Provenance>> = {};
  for (const { name } of agentConfigFields) {
    const [from, values] = tiers.find(([, tier]) => tier[name] !== undefined) ?? [
      'default' as const,
      fallback,
    ];
    config[name] = values[name] ?? fallback[name];
    provenance[name] = from;
  }
  return {
    config,
    provenance: provenance as Record<keyof AgentConfig, Provenance>,
    problems: given.problems,
  };
}
