import type { Persona } from '../agents/parse-agent-file.js';
import type {
  AgentConfig,
  OptionProblem,
  Provenance,
  OptionResolution,
} from '../storage/shapes/stored-options.js';
import { choose, optionFields, type ResolvedValue, type OptionSources } from './option-rule.js';
import { chooseOptions, modeTiers, optionRules } from './option-rules.js';
import { boundMode } from './permission-mode.js';
import { findProblems } from './option-problems.js';
import { assertNoTools, assertPriced } from './model-refusals.js';
import { resolveLimits } from './resolve-limits.js';
import { compact } from '../platform/compact.js';
import { storableJson } from '../storage/connection.js';

/**
 * Resolves a turn's options: the first valid value of each chain wins. An invalid value falls to the next tier, an
 * unknown key is ignored, and `problems` names both. Pure.
 *
 * @throws TypedError INVALID_REQUEST for a bound that is none, a cost limit that cannot hold, and tools of a model that calls none.
 */
export function resolveOptions(sources: OptionSources): OptionResolution {
  const { session, persona } = sources;
  const given = optionFields(sources.opts);
  const chosen = chooseOptions(sources);
  const limits = resolveLimits({
    opts: given['agentConfig'],
    maxTurns: optionRules.maxTurns.parse(given['maxTurns']),
    session: session.agentConfig ?? {},
    persona: personaLimits(persona),
    user: sources.user ?? {},
    instructions: sources.defaults.agentsConfig ?? {},
    fallback: sources.limits,
  });
  const { inForce, problems } = putInForce(chosen, sources, limits);
  const { clientTools, prompt, skills, maxCostUsd, ...traced } = inForce;
  const { price, notices = [] } = sources.model ?? {};
  const usd = maxCostUsd.value;
  if (usd !== undefined && sources.model !== undefined) assertPriced(sources.model);
  if (sources.model?.callsTools === false) assertNoTools(sources.model, traced.tools.value);
  const { contextNodes, subagents } = sources.preferences ?? {};
  const governance = storableJson(given['subagentGovernance']);
  return {
    options: {
      ...compact(valuesOf(traced)),
      ...compact({
        clientTools: clientTools.value.length === 0 ? undefined : clientTools.value,
        costLimit: usd === undefined || price === undefined ? undefined : { usd, price },
        prompt: prompt.value,
        skills: skills.value,
        contextNodes,
        subagents,
        agentConfig: limits.config,
        decisionTree: persona.decisionTree,
        subagentGovernance: governance,
      }),
    },
    provenance: {
      ...tiersOf(traced),
      agentConfig: limits.provenance,
      subagentGovernance: governance === undefined ? 'default' : 'opts',
    },
    problems:
      sources.opts === undefined
        ? problems
        : [...problems, ...findProblems(sources.opts, { chosen: inForce, limits })],
    ...compact({ agentVersion: persona.version }),
    ...(notices.length === 0 ? {} : { modelNotices: notices }),
  };
}

/** The chosen options within the bounds of the server, the caller and the agent. */
function putInForce(
  chosen: ReturnType<typeof chooseOptions>,
  sources: OptionSources,
  limits: ReturnType<typeof resolveLimits>,
) {
  const bounded = boundMode(chosen.mode, {
    ceiling: 'acceptEdits',
    mayApprove: true,
    ...sources.bounds,
    inherited: choose(optionRules.mode, undefined, modeTiers(sources)).value,
  });
  const isMemoryOff = sources.allowsMemory === false && chosen.memory.value;
  const inForce = {
    ...chosen,
    model: { ...chosen.model, value: sources.model?.name ?? chosen.model.value },
    maxTurns: { value: limits.config.maxIterations, from: limits.provenance.maxIterations },
    // The name of its file: the default may be another one, and spellings differ.
    persona: { ...chosen.persona, value: sources.persona.name },
    mode: { ...chosen.mode, value: bounded.mode },
    memory: isMemoryOff ? noMemory : chosen.memory,
  };
  const isMemoryRefused = isMemoryOff && chosen.memory.from === 'opts';
  return { inForce, problems: [...bounded.problems, ...(isMemoryRefused ? [memoryOff] : [])] };
}

const noMemory = { value: false, from: 'environment' } as const;
const memoryOff: OptionProblem = {
  kind: 'without-effect',
  key: 'memory',
  reason: 'this server has no memory (TURNPIKE_MEMORY is false)',
};

// Mapped types cannot be proven from `Object.entries`: each key keeps the type of its own value.
type Values<T> = { [K in keyof T]: T[K] extends ResolvedValue<infer V> ? V : never };
function valuesOf<T extends Record<string, ResolvedValue<unknown>>>(chosen: T): Values<T> {
  const entries = Object.entries(chosen).map(([key, { value }]) => [key, value]);
  return Object.fromEntries(entries) as Values<T>;
}

function tiersOf<T extends Record<string, ResolvedValue<unknown>>>(
  chosen: T,
): Record<keyof T, Provenance> {
  const entries = Object.entries(chosen).map(([key, { from }]) => [key, from]);
  return Object.fromEntries(entries) as Record<keyof T, Provenance>;
}

function personaLimits({ maxTurns, agentConfig }: Persona): Partial<AgentConfig> {
  return { ...agentConfig, ...compact({ maxIterations: maxTurns }) };
}
