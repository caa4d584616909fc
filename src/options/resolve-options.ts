import type { Persona } from '../agents/parse-agent-file.js';
import type {
  AgentConfig,
  OptionProblem,
  Provenance,
  OptionResolution,
} from '../storage/shapes/stored-options.js';
import { type OptionRule, type Chosen, type Tier, choose, givenOptions } from './option-rule.js';
import { optionRules } from './option-rules.js';
import { boundMode } from './permission-mode.js';
import { findProblems } from './option-problems.js';
import { resolveLimits } from './resolve-limits.js';
import { compact } from '../platform/compact.js';
import { storableJson } from '../storage/connection.js';
import type { OptionSources } from './option-sources.js';
import { chooseModel, choosePersona } from './early-options.js';

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
    maxTurns: maxTurns.parse(given['maxTurns']),
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
  const wantedMemory = choose(optionRules.memory, given['memory'], [['persona', persona.memory]]);
  const isMemoryOff = sources.allowsMemory === false && wantedMemory.value;
  const chosen = {
    model: chooseTurnModel(sources),
    fallbackModel: choose(fallbackModel, given['fallbackModel'], [
      ['persona', fallbackModel.parse(persona.fallbackModel)],
    ]),
    tools: choose(tools, given['tools'], [['persona', tools.parse(persona.tools)]]),
    maxTurns: { value: limits.config.maxIterations, from: limits.provenance.maxIterations },
    // The name of its file: the default may be another one, and spellings differ.
    persona: { ...choosePersona(sources.opts, session.persona), value: persona.name },
    mode: { value: bounded.mode, from: wantedMode.from },
    onDisconnect: choose(optionRules.onDisconnect, given['onDisconnect'], [
      ['default', sources.wireOnDisconnect],
    ]),
    onBusy: chooseGiven(optionRules.onBusy, 'onBusy'),
    priority: chooseGiven(optionRules.priority, 'priority'),
    thinking: choose(optionRules.thinking, given['thinking'], [
      ['persona', persona.thinking],
      ['user', sources.preferences?.thinking],
    ]),
    citations: choose(citations, given['citations'], [['persona', persona.citations]]),
    memory: isMemoryOff ? noMemory : wantedMemory,
    attachmentsAs: choose(attachmentsAs, given['attachmentsAs'], [
      ['persona', persona.attachments],
    ]),
    maxTokens: chooseGiven(optionRules.maxTokens, 'maxTokens'),
    maxCostUsd: chooseGiven(optionRules.maxCostUsd, 'maxCostUsd'),
    output: choose(optionRules.output, given['output'], [['persona', persona.output]]),
    clientTools: chooseGiven(optionRules.clientTools, 'clientTools'),
    skills: chooseGiven(optionRules.skills, 'skills'),
  };
  const { maxTokens: tokens, maxCostUsd, fallbackModel: other, ...rest } = chosen;
  const { clientTools, skills, output, ...always } = rest;
  const { price, notices = [] } = sources.model ?? {};
  const usd = maxCostUsd.value;
  const { contextNodes, subagents } = sources.preferences ?? {};
  const governance = storableJson(given['subagentGovernance']);
  return {
    options: {
      ...valuesOf(always),
      ...compact({
        fallbackModel: other.value,
        maxTokens: tokens.value,
        output: output.value,
        clientTools: clientTools.value.length === 0 ? undefined : clientTools.value,
        costLimit: usd === undefined || price === undefined ? undefined : { usd, price },
        skills: skills.value,
        contextNodes,
        subagents,
        agentConfig: limits.config,
        decisionTree: persona.decisionTree,
        subagentGovernance: governance,
      }),
    },
    provenance: {
      ...tiersOf({ ...always, maxTokens: tokens, fallbackModel: other, output }),
      agentConfig: limits.provenance,
      subagentGovernance: governance === undefined ? 'default' : 'opts',
    },
    problems: [
      ...bounded.problems,
      ...(isMemoryOff && wantedMemory.from === 'opts' ? [memoryOff] : []),
      ...findProblems(sources.opts, {
        chosen,
        limits,
        lacksPrice: usd !== undefined && price === undefined,
      }),
    ],
    ...(notices.length === 0 ? {} : { modelNotices: notices }),
  };
}

const noMemory = { value: false, from: 'environment' } as const;
const memoryOff: OptionProblem = {
  kind: 'without-effect',
  key: 'memory',
  reason: 'this server has no memory (TURNPIKE_MEMORY is false)',
};

function chooseTurnModel(sources: OptionSources): Chosen<string> {
  const { value, from } = chooseModel(sources).named;
  return { value: sources.model?.name ?? value, from };
}

function modeTiers({ asAgent, wireMode, persona, session }: OptionSources): Tier<string>[] {
  const { mode } = optionRules;
  const own: Tier<string>[] = asAgent === true ? [['persona', persona.permissionMode]] : [];
  if (wireMode !== undefined) return [...own, ['default', wireMode]];
  if (asAgent === true) return [...own, ['default', 'dontAsk']];
  return [['session', mode.parse(session.mode)]];
}

// Mapped types cannot be proven from `Object.entries`: each key keeps the type of its own value.
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
  return { ...agentConfig, ...compact({ maxIterations: maxTurns }) };
}
