import type { Persona } from '../agents/parse-persona.js';
import type { CostLimit } from '../governance/cost.js';
import { agentConfigFields, type AgentConfig } from '../governance/agent-config.js';
import { isPlainObject } from '../platform/json.js';
import { optionRules, type OnDisconnect, type Priority, type OptionRule } from './option-rules.js';
import { findPrice, type ModelPrice } from './model-price.js';
import type { Provenance } from './provenance.js';
import { resolveLimits, type LimitResolution } from './resolve-limits.js';

/** What a turn runs with. Resolved once and stored with it; nothing later reads a default. */
export interface ResolvedOptions {
  model: string;
  /** Names of the tools the turn may use; an empty list means none. */
  tools: string[];
  /** Most model calls of the turn, from 1. */
  maxTurns: number;
  persona: string;
  mode: string;
  /** Whether the turn is cancelled or goes on when its last reader leaves. */
  onDisconnect: OnDisconnect;
  priority: Priority;
  /** Most tokens of one reply. Absent: what the server is set to. */
  maxTokens?: number;
  /** Whether the model thinks before it answers. */
  thinking: boolean;
  /** Absent: no limit of cost. */
  costLimit?: CostLimit;
  /** Limits of the turn; `maxIterations` is `maxTurns`. */
  agentConfig: AgentConfig;
  /** Of the persona. Absent: `default`. */
  decisionTree?: string;
  /** As the client gave it, unchecked: the subagent gate judges it. Absent when not given. */
  subagentGovernance?: unknown;
}

export type OptionProblem =
  | { kind: 'not-an-object' }
  | { kind: 'unknown'; key: string }
  | { kind: 'invalid'; key: string; expected: string; using: unknown; from: Provenance };

export interface OptionSources {
  /** The client's `opts`, as it came. Undefined when omitted. */
  opts: unknown;
  session: { persona: string; mode: string; agentConfig?: Partial<AgentConfig> | null };
  /** The persona that `choosePersona` named. Its `model` is not a tier. */
  persona: Persona;
  /** What the user has set. */
  user?: Partial<AgentConfig>;
  defaults: {
    environmentModel?: string;
    agentsModel?: string;
    agentsConfig?: Partial<AgentConfig>;
  };
  /** Of models, for `maxCostUsd`. */
  prices?: readonly ModelPrice[];
  /** Where nobody sets any. */
  limits: Readonly<AgentConfig>;
}

export interface OptionResolution {
  options: ResolvedOptions;
  provenance: Record<
    Exclude<keyof ResolvedOptions, 'agentConfig' | 'decisionTree' | 'costLimit'>,
    Provenance
  > & {
    agentConfig: Record<keyof AgentConfig, Provenance>;
  };
  /** What was ignored, sorted by key. */
  problems: OptionProblem[];
}

type Tier<T> = readonly [Provenance, T | undefined];
type Chosen<T> = { value: T; from: Provenance };

/**
 * Resolves a turn's options: the first valid value of each chain wins. Pure, and never an error: an
 * invalid value falls to the next tier, an unknown key is ignored, and `problems` names both.
 */
export function resolveOptions(sources: OptionSources): OptionResolution {
  const { session, persona, defaults } = sources;
  const given = givenOptions(sources.opts);
  const { model, tools, maxTurns, mode, onDisconnect, priority, maxTokens, thinking } = optionRules;
  const limits = resolveLimits({
    opts: given['agentConfig'],
    maxTurns: maxTurns.read(given['maxTurns']),
    session: session.agentConfig ?? {},
    persona: personaLimits(persona),
    user: sources.user ?? {},
    instructions: defaults.agentsConfig ?? {},
    fallback: sources.limits,
  });
  const chosen = {
    model: choose(model, given['model'], [
      ['environment', model.read(defaults.environmentModel)],
      ['instructions', model.read(defaults.agentsModel)],
    ]),
    tools: choose(tools, given['tools'], [['persona', tools.read(persona.tools)]]),
    maxTurns: { value: limits.config.maxIterations, from: limits.provenance.maxIterations },
    persona: choosePersonaFrom(given, session.persona),
    mode: choose(mode, given['mode'], [['session', mode.read(session.mode)]]),
    onDisconnect: choose(onDisconnect, given['onDisconnect'], []),
    priority: choose(priority, given['priority'], []),
    thinking: choose(thinking, given['thinking'], []),
    maxTokens: choose(maxTokens, given['maxTokens'], []),
    maxCostUsd: choose(optionRules.maxCostUsd, given['maxCostUsd'], []),
  };
  const price = findPrice(sources.prices ?? [], chosen.model.value);
  const usd = chosen.maxCostUsd.value;
  const governance = given['subagentGovernance'];
  return {
    options: {
      model: chosen.model.value,
      tools: chosen.tools.value,
      maxTurns: chosen.maxTurns.value,
      persona: chosen.persona.value,
      mode: chosen.mode.value,
      onDisconnect: chosen.onDisconnect.value,
      priority: chosen.priority.value,
      thinking: chosen.thinking.value,
      ...(chosen.maxTokens.value === undefined ? {} : { maxTokens: chosen.maxTokens.value }),
      ...(usd === undefined || price === undefined ? {} : { costLimit: { usd, price } }),
      agentConfig: limits.config,
      ...(sources.persona.decisionTree === undefined
        ? {}
        : { decisionTree: sources.persona.decisionTree }),
      ...(governance === undefined ? {} : { subagentGovernance: governance }),
    },
    provenance: {
      model: chosen.model.from,
      tools: chosen.tools.from,
      maxTurns: chosen.maxTurns.from,
      persona: chosen.persona.from,
      mode: chosen.mode.from,
      onDisconnect: chosen.onDisconnect.from,
      priority: chosen.priority.from,
      thinking: chosen.thinking.from,
      maxTokens: chosen.maxTokens.from,
      agentConfig: limits.provenance,
      subagentGovernance: governance === undefined ? 'default' : 'opts',
    },
    problems: [
      ...findProblems(sources.opts, given, chosen),
      ...limitProblems(given['agentConfig'], limits),
      ...(usd === undefined || price !== undefined ? [] : [noPrice]),
    ].sort(byKey),
  };
}

const noPrice: OptionProblem = {
  kind: 'invalid',
  key: 'maxCostUsd',
  expected: 'for a model whose price is in TURNPIKE_PRICES',
  using: null,
  from: 'default',
};

function personaLimits({ maxTurns, agentConfig }: Persona): Partial<AgentConfig> {
  return { ...agentConfig, ...(maxTurns === undefined ? {} : { maxIterations: maxTurns }) };
}

function limitProblems(given: unknown, { config, provenance, problems }: LimitResolution) {
  if (given !== undefined && !isPlainObject(given)) {
    const expected = 'an object with fields like max_iterations';
    return [
      {
        kind: 'invalid' as const,
        key: 'agentConfig',
        expected,
        using: {},
        from: 'default' as const,
      },
    ];
  }
  const unknown = Object.keys(given ?? {}).filter((key) => !isLimit(key));
  return [
    ...unknown.map((key) => ({ kind: 'unknown' as const, key: `agentConfig.${key}` })),
    ...problems.map(({ field: { name, wireName, min, max } }) => ({
      kind: 'invalid' as const,
      key: `agentConfig.${wireName}`,
      expected: `a whole number from ${min} to ${max}`,
      using: config[name],
      from: provenance[name],
    })),
  ];
}

const isLimit = (key: string): boolean =>
  agentConfigFields.some(({ wireName }) => wireName === key);

function byKey(a: OptionProblem, b: OptionProblem): number {
  const [first, second] = [keyOf(a), keyOf(b)];
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

const keyOf = (problem: OptionProblem): string =>
  problem.kind === 'not-an-object' ? '' : problem.key;

/**
 * The persona a turn runs as. Resolved before the rest, because the persona's file is itself a tier
 * of `tools` and `maxTurns`. The name is trimmed, not checked: loading it does that.
 */
export function choosePersona(
  opts: unknown,
  sessionPersona: string,
): { name: string; from: Provenance } {
  const { value, from } = choosePersonaFrom(givenOptions(opts), sessionPersona);
  return { name: value, from };
}

function choosePersonaFrom(given: Record<string, unknown>, session: string): Chosen<string> {
  const { persona } = optionRules;
  return choose(persona, given['persona'], [['session', persona.read(session)]]);
}

function givenOptions(opts: unknown): Record<string, unknown> {
  return isPlainObject(opts) ? opts : {};
}

function choose<T>(rule: OptionRule<T>, given: unknown, tiers: readonly Tier<T>[]): Chosen<T> {
  const all: Tier<T>[] = [['opts', rule.read(given)], ...tiers];
  for (const [from, value] of all) if (value !== undefined) return { value, from };
  return { value: rule.fallback(), from: 'default' };
}

function findProblems(
  opts: unknown,
  given: Record<string, unknown>,
  chosen: Record<string, Chosen<unknown>>,
): OptionProblem[] {
  if (opts !== undefined && !isPlainObject(opts)) return [{ kind: 'not-an-object' }];
  const keys = Object.keys(given).filter((key) => given[key] !== undefined);
  return keys.sort().flatMap((key): OptionProblem[] => {
    if (key === 'subagentGovernance' || key === 'agentConfig') return [];
    if (!isOptionKey(key)) return [{ kind: 'unknown', key }];
    const used = chosen[key];
    const { expected, read } = optionRules[key];
    if (used === undefined || read(given[key]) !== undefined) return [];
    return [{ kind: 'invalid', key, expected, using: used.value, from: used.from }];
  });
}

function isOptionKey(key: string): key is keyof typeof optionRules {
  return Object.hasOwn(optionRules, key);
}
