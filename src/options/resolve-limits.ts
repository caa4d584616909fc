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

/** A limit that is never reached. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Whether a limit stands for no limit. Pure. */
export function isUnlimited(limit: number): boolean {
  return limit >= UNLIMITED;
}

/** Calls of a step: more are a model's mistake. */
const MAX_CALLS = 128;

/** Read-only calls of a step that run at a time. */
const PARALLEL_TOOLS = 4;

/**
 * The limits of a turn where no tier sets any: the harness contract's 12 model calls, and the
 * server's own config. Turns of the oracle wire have the defaults of their contract instead.
 */
export function freeLimits(server: { turnTimeoutMs: number }): AgentConfig {
  return {
    maxIterations: 12,
    softWarningPercent: 70,
    tokenBudget: UNLIMITED,
    tokenWarningPercent: 80,
    timeoutSeconds: server.turnTimeoutMs / 1_000,
    maxToolCallsPerTurn: MAX_CALLS,
    maxParallelTools: PARALLEL_TOOLS,
  };
}
