import type { Persona } from '../agents/parse-agent-file.js';
import type { CostLimit } from '../governance/limits/cost.js';
import type { AgentConfig } from '../governance/decision-tree/agent-config.js';
import { isPlainObject } from '../platform/json.js';
import type { OnBusy, Provenance, OptionResolution } from '../storage/shapes/stored-options.js';
import type { ResolvedModel } from '../provider/models/choose-model.js';
import { optionRules, type OptionRule } from './option-rules.js';
import { boundMode, type ModeBounds } from './permission-mode.js';
import type { Chosen } from './provenance.js';
import { findProblems } from './option-problems.js';
import { resolveLimits } from './resolve-limits.js';
import type { Preferences } from './settings/preferences.js';
import { storableJson } from './storable.js';

export interface OptionSources {
  /** The client's `opts`, as it came. Undefined when omitted. */
  opts: unknown;
  session: { persona: string; mode: string; agentConfig?: Partial<AgentConfig> | null };
  /** The persona that `choosePersona` named. */
  persona: Persona;
  /**
   * Whether it was called as an agent: its model and permission mode are tiers then, and where
   * neither says, nobody can be asked. A persona's are not.
   */
  asAgent?: boolean;
  /** Of the wire, in place of the session's: whether its clients can be asked. Absent: the session's. */
  wireMode?: 'direct' | 'dontAsk';
  /** What the user has set. */
  user?: Partial<AgentConfig>;
  /** What the user wishes beside limits. */
  preferences?: Preferences;
  defaults: {
    environmentModel?: string;
    agentsModel?: string;
    agentsConfig?: Partial<AgentConfig>;
  };
  /** What the mode is held to. Absent: nothing. */
  bounds?: Pick<ModeBounds, 'ceiling' | 'mayApprove'>;
  /** What became of the model that `chooseModel` named. Absent: it is taken as it is, without a price. */
  model?: ResolvedModel;
  /** Where nobody sets any. */
  limits: Readonly<AgentConfig>;
}

type Tier<T> = readonly [Provenance, T | undefined];

/**
 * Resolves a turn's options: the first valid value of each chain wins. Pure, and never an error: an
 * invalid value falls to the next tier, an unknown key is ignored, and `problems` names both.
 */
export function resolveOptions(sources: OptionSources): OptionResolution {
  const { session, persona } = sources;
  const given = givenOptions(sources.opts);
  const { fallbackModel, tools, maxTurns, mode, citations, attachmentsAs } = optionRules;
  const chooseGiven = <T>(rule: OptionRule<T>, key: string): Chosen<T> =>
    choose(rule, given[key], []);
  const limits = resolveLimits({
    opts: given['agentConfig'],
    maxTurns: maxTurns.read(given['maxTurns']),
    session: session.agentConfig ?? {},
    persona: personaLimits(persona),
    user: sources.user ?? {},
    instructions: sources.defaults.agentsConfig ?? {},
    fallback: sources.limits,
  });
  const wantedMode = choose(mode, given['mode'], modeTiers(sources));
  const inherited = choose(mode, undefined, modeTiers(sources)).value;
  const bounds = {
    ceiling: 'acceptEdits',
    mayApprove: true,
    ...sources.bounds,
    inherited,
  } as const;
  const bounded = boundMode(wantedMode, bounds);
  const chosen = {
    model: ranModel(sources),
    fallbackModel: choose(fallbackModel, given['fallbackModel'], [
      ['persona', fallbackModel.read(persona.fallbackModel)],
    ]),
    tools: choose(tools, given['tools'], [['persona', tools.read(persona.tools)]]),
    maxTurns: { value: limits.config.maxIterations, from: limits.provenance.maxIterations },
    persona: choosePersonaFrom(given, session.persona),
    mode: { value: bounded.mode, from: wantedMode.from },
    onDisconnect: chooseGiven(optionRules.onDisconnect, 'onDisconnect'),
    onBusy: chooseGiven(optionRules.onBusy, 'onBusy'),
    priority: chooseGiven(optionRules.priority, 'priority'),
    thinking: choose(optionRules.thinking, given['thinking'], [
      ['persona', persona.thinking],
      ['user', sources.preferences?.thinking],
    ]),
    citations: choose(citations, given['citations'], [['persona', persona.citations]]),
    attachmentsAs: choose(attachmentsAs, given['attachmentsAs'], [
      ['persona', persona.attachments],
    ]),
    maxTokens: chooseGiven(optionRules.maxTokens, 'maxTokens'),
    maxCostUsd: chooseGiven(optionRules.maxCostUsd, 'maxCostUsd'),
    clientTools: chooseGiven(optionRules.clientTools, 'clientTools'),
  };
  const { maxTokens: tokens, maxCostUsd, clientTools, fallbackModel: other, ...always } = chosen;
  const { price, notices = [] } = sources.model ?? {};
  const usd = maxCostUsd.value;
  const { contextNodes, subagents } = sources.preferences ?? {};
  const governance = storableJson(given['subagentGovernance']);
  return {
    options: {
      ...valuesOf(always),
      ...(other.value === undefined ? {} : { fallbackModel: other.value }),
      ...(tokens.value === undefined ? {} : { maxTokens: tokens.value }),
      ...(clientTools.value.length === 0 ? {} : { clientTools: clientTools.value }),
      ...(usd === undefined || price === undefined ? {} : { costLimit: { usd, price } }),
      ...(contextNodes === undefined ? {} : { contextNodes }),
      ...(subagents === undefined ? {} : { subagents }),
      agentConfig: limits.config,
      ...(sources.persona.decisionTree === undefined
        ? {}
        : { decisionTree: sources.persona.decisionTree }),
      ...(governance === undefined ? {} : { subagentGovernance: governance }),
    },
    provenance: {
      ...tiersOf({ ...always, maxTokens: tokens, fallbackModel: other }),
      agentConfig: limits.provenance,
      subagentGovernance: governance === undefined ? 'default' : 'opts',
    },
    problems: [
      ...bounded.problems,
      ...findProblems(sources.opts, {
        chosen,
        limits,
        lacksPrice: usd !== undefined && price === undefined,
      }),
    ],
    ...(notices.length === 0 ? {} : { modelNotices: notices }),
  };
}

/**
 * The model that a turn names, and the one of turns that name none. What the first one means is not
 * said here: it may have to be asked for.
 */
export function chooseModel(
  sources: Pick<OptionSources, 'opts' | 'asAgent' | 'preferences' | 'defaults'> & {
    persona: Pick<Persona, 'model'>;
  },
): { named: Chosen<string>; standard: string } {
  const { model } = optionRules;
  const own: Tier<string>[] =
    sources.asAgent === true ? [['persona', model.read(sources.persona.model)]] : [];
  const wished: Tier<string> = ['user', model.read(sources.preferences?.model)];
  const tiers = [...own, wished, ...standardTiers(sources.defaults)];
  return {
    named: choose(model, givenOptions(sources.opts)['model'], tiers),
    standard: chooseStandard(sources.defaults),
  };
}

/** The model of turns that name none. */
export function chooseStandard(defaults: OptionSources['defaults']): string {
  return choose(optionRules.model, undefined, standardTiers(defaults)).value;
}

function standardTiers({
  environmentModel,
  agentsModel,
}: OptionSources['defaults']): Tier<string>[] {
  const { model } = optionRules;
  return [
    ['environment', model.read(environmentModel)],
    ['instructions', model.read(agentsModel)],
  ];
}

function ranModel(sources: OptionSources): Chosen<string> {
  const { value, from } = chooseModel(sources).named;
  return { value: sources.model?.name ?? value, from };
}

function modeTiers({ asAgent, wireMode, persona, session }: OptionSources): Tier<string>[] {
  const { mode } = optionRules;
  const own: Tier<string>[] = asAgent === true ? [['persona', persona.permissionMode]] : [];
  if (wireMode !== undefined) return [...own, ['default', wireMode]];
  if (asAgent === true) return [...own, ['default', 'dontAsk']];
  return [['session', mode.read(session.mode)]];
}

// A mapped type is what no literal here can prove: each key keeps its own.
type Values<T> = { [K in keyof T]: T[K] extends Chosen<infer V> ? V : never };
function valuesOf<T extends Record<string, Chosen<unknown>>>(chosen: T): Values<T> {
  const entries = Object.entries(chosen).map(([key, { value }]) => [key, value]);
  return Object.fromEntries(entries) as Values<T>;
}

function tiersOf<T extends Record<string, Chosen<unknown>>>(
  chosen: T,
): Record<keyof T, Provenance> {
  const entries = Object.entries(chosen).map(([key, { from }]) => [key, from]);
  return Object.fromEntries(entries) as Record<keyof T, Provenance>;
}

function personaLimits({ maxTurns, agentConfig }: Persona): Partial<AgentConfig> {
  return { ...agentConfig, ...(maxTurns === undefined ? {} : { maxIterations: maxTurns }) };
}

/** What a request wants of a busy session: asked before its other options are looked at. */
export function chooseOnBusy(opts: unknown): OnBusy {
  return choose(optionRules.onBusy, givenOptions(opts)['onBusy'], []).value;
}

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
