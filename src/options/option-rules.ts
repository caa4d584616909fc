import type { Persona } from '../agents/parse-agent-file.js';
import { invalidRequest } from '../errors/typed-error.js';
import { jsonObject } from '../http/fields/json-schemas.js';
import { outputExpected, parseOutput } from '../tools/output/schema-checks.js';
import { isPlainObject } from '../platform/json.js';
import { isId } from '../platform/ids.js';
import { DEFAULT_MODEL } from '../provider/model-resolver.js';
import { parseThinking } from '../provider/thinking.js';
import {
  busyPolicies,
  efforts,
  type AttachmentsAs,
  type ClientTool,
  type OnBusy,
  type OnDisconnect,
  type OutputTerms,
  type Priority,
  type PromptChoice,
  type ThinkingChoice,
} from '../storage/shapes/stored-options.js';
import { parsePromptChoice } from '../tools/mcp/prompts.js';
import { clientToolsExpected, parseClientTools } from './client-tools.js';
import {
  choiceRule,
  choose,
  countRule,
  flagRule,
  optionFields,
  nameRule,
  namesRule,
  parseName,
  parseNames,
  parseText,
  textRule,
  type ResolvedValue,
  type OptionRule,
  type OptionSources,
  type Tier,
} from './option-rule.js';

const maxCostUsd: OptionRule<number | undefined> = {
  about: 'Most that the turn may cost, in US dollars.',
  schema: { type: Number },
  parse: (value) =>
    typeof value === 'number' && value > 0 && value < Infinity ? value : undefined,
  expected: 'a number of dollars greater than 0',
  isBound: true,
  fallback: () => undefined,
};

const thinking: OptionRule<ThinkingChoice> = {
  about: 'Whether and how the model thinks before it answers.',
  schema: {
    oneOf: [
      { type: 'boolean' },
      {
        type: 'object',
        properties: {
          effort: { enum: [...efforts] },
          display: { enum: ['summarized', 'omitted'] },
        },
      },
    ],
  },
  parse: parseThinking,
  expected:
    'true, false, or an object of effort ("low", "medium", "high", "xhigh" or "max") and display ("summarized" or "omitted")',
  tiers: ({ persona, preferences }) => [
    ['persona', persona.thinking],
    ['user', preferences?.thinking],
  ],
  fallback: () => false,
};

const output = {
  about: 'The object that the turn ends with, by its JSON Schema. Anything else is refused.',
  schema: {
    type: 'object',
    required: ['schema'],
    properties: { schema: jsonObject, repairs: { type: 'integer', minimum: 0, maximum: 5 } },
  },
  parse: (value) => {
    const parsed = parseOutput(value);
    return 'output' in parsed ? parsed.output : undefined;
  },
  expected: outputExpected,
  tiers: ({ persona }) => [['persona', persona.output]],
  fallback: () => undefined,
} satisfies OptionRule<OutputTerms | undefined>;

const clientTools: OptionRule<ClientTool[]> = {
  about: "Tools that the turn's client runs.",
  schema: {
    type: 'array',
    items: {
      type: 'object',
      required: ['name', 'description', 'inputSchema'],
      properties: {
        name: { type: 'string' },
        description: { type: 'string' },
        inputSchema: jsonObject,
      },
    },
  },
  parse: (value) => {
    const parsed = parseClientTools(value);
    return 'tools' in parsed ? parsed.tools : undefined;
  },
  expected: clientToolsExpected,
  fault: (value) => {
    const parsed = parseClientTools(value);
    return 'fault' in parsed ? parsed.fault : undefined;
  },
  odd: (value) => {
    const parsed = parseClientTools(value);
    if ('fault' in parsed) return [];
    return parsed.odd.map(({ index, name, fault }) => ({
      at: `[${index}]${name === undefined ? '' : ` (${name})`}`,
      reason: `clientTools[${index}]${fault}`,
    }));
  },
  fallback: () => [],
};

const prompt = {
  about: 'The prompt of an MCP server whose text the message gets.',
  schema: {
    type: 'object',
    required: ['server', 'name'],
    properties: {
      server: { type: 'string' },
      name: { type: 'string' },
      arguments: { type: 'object', additionalProperties: { type: 'string' } },
    },
  },
  parse: parsePromptChoice,
  expected:
    'an object such as {"server": "github", "name": "review"}, with arguments, such as {"pr": "17"}, for a prompt that takes some',
  fallback: () => undefined,
} satisfies OptionRule<PromptChoice | undefined>;

/**
 * All options but `agentConfig` (see `resolveLimits`), `replaces` and `subagentGovernance`, which is passed on
 * unchecked. Resolution, its problems and the API's description are made of them.
 */
export const optionRules = {
  model: nameRule('The model.', DEFAULT_MODEL, modelTiers),
  tools: namesRule(
    'The tools that the turn may use; none where it is empty.',
    () => ['read', 'write', 'bash'],
    ({ persona }) => [['persona', parseNames(persona.tools)]],
  ),
  // It is one of the limits, whose tiers `resolveLimits` has.
  maxTurns: countRule('Most model calls.', 12),
  persona: textRule('The agent.', 'WORKING_ITEMS', ({ session }) => personaTiers(session.persona)),
  mode: nameRule('The permission mode.', 'direct', modeTiers),
  onDisconnect: choiceRule<OnDisconnect>(
    'Whether the turn ends or goes on when its last reader has left.',
    ['cancel', 'continue'],
    ({ wireOnDisconnect }) => [['default', wireOnDisconnect]],
  ),
  onBusy: choiceRule('What becomes of the turn while its session has an active one.', busyPolicies),
  priority: choiceRule<Priority>('A background turn runs when no normal one waits.', [
    'normal',
    'background',
  ]),
  thinking,
  citations: flagRule(
    'Whether the model cites the passages of files that it uses.',
    ({ persona }) => [['persona', persona.citations]],
  ),
  memory: flagRule('Whether the turn has the memory of its principal and agent.', ({ persona }) => [
    ['persona', persona.memory],
  ]),
  attachmentsAs: choiceRule<AttachmentsAs>(
    'Files for the model: in their own format, or as text.',
    ['native', 'text'],
    ({ persona }) => [['persona', persona.attachments]],
  ),
  fallbackModel: nameRule(
    'The model that goes on where `model` is overloaded, not found or declines.',
    undefined,
    ({ persona }) => [['persona', parseName(persona.fallbackModel)]],
  ),
  fallbackModels: namesRule(
    'The models that go on after it, in this order.',
    () => undefined,
    ({ persona, defaults }) => [
      ['persona', persona.fallbackModels],
      ['environment', defaults.environmentFallbacks],
    ],
    // Each may be asked for at the provider before the turn begins.
    5,
  ),
  maxTokens: { ...countRule('Most tokens of a reply.', undefined), isBound: true },
  maxCostUsd,
  output,
  clientTools,
  prompt,
  skills: {
    ...namesRule(
      'The skills of its agent that the turn may have; none where it is empty.',
      () => undefined,
    ),
    isBound: true,
  },
};

/** Options whose rules are not of the table. */
export const otherOptions = ['agentConfig', 'replaces', 'subagentGovernance'];

type Rules = typeof optionRules;

/** The values of each option. */
export type OptionValues = {
  [Name in keyof Rules]:
    | NonNullable<ReturnType<Rules[Name]['parse']>>
    | ReturnType<Rules[Name]['fallback']>;
};

/** Each option's value by its own tiers, before what one of them means for another. */
export function chooseOptions(sources: OptionSources) {
  const given = optionFields(sources.opts);
  const rules: [string, OptionRule<unknown>][] = Object.entries(optionRules);
  const chosen = rules.map(([name, rule]) => {
    return [name, choose(rule, given[name], rule.tiers?.(sources) ?? [])];
  });
  // Mapped types cannot be proven from `Object.entries`: each key keeps the type of its own value.
  return Object.fromEntries(chosen) as { [Name in keyof Rules]: ResolvedValue<OptionValues[Name]> };
}

/** What the model's name is chosen by. */
type ModelSources = Pick<OptionSources, 'asAgent' | 'preferences' | 'defaults'> & {
  persona: Pick<Persona, 'model'>;
};

/**
 * Chooses the model's name, and the name that turns without one have. Resolving a name to a model is
 * the caller's: the provider may have to be asked.
 */
export function chooseModel(sources: ModelSources & Pick<OptionSources, 'opts'>): {
  named: ResolvedValue<string>;
  standard: string;
} {
  const given = optionFields(sources.opts)['model'];
  return {
    named: choose(optionRules.model, given, modelTiers(sources)),
    standard: chooseStandard(sources.defaults),
  };
}

/** Chooses the model's name for turns that name none. */
export function chooseStandard(defaults: OptionSources['defaults']): string {
  return choose(optionRules.model, undefined, standardTiers(defaults)).value;
}

function modelTiers({ asAgent, persona, preferences, defaults }: ModelSources): Tier<string>[] {
  const own: Tier<string>[] = asAgent === true ? [['persona', parseName(persona.model)]] : [];
  return [...own, ['user', parseName(preferences?.model)], ...standardTiers(defaults)];
}

function standardTiers(defaults: OptionSources['defaults']): Tier<string>[] {
  return [
    ['environment', parseName(defaults.environmentModel)],
    ['instructions', parseName(defaults.agentsModel)],
  ];
}

export function modeTiers({ asAgent, wireMode, persona, session }: OptionSources): Tier<string>[] {
  const own: Tier<string>[] = asAgent === true ? [['persona', persona.permissionMode]] : [];
  if (wireMode !== undefined) return [...own, ['default', wireMode]];
  if (asAgent === true) return [...own, ['default', 'dontAsk']];
  return [['session', parseName(session.mode)]];
}

/** The busy policy that a request names; undefined: none. A refused request is not checked further. */
export function namedOnBusy(opts: unknown): OnBusy | undefined {
  return optionRules.onBusy.parse(optionFields(opts)['onBusy']);
}

/** Whether a request names the object that its turn is to end with. */
export function asksForOutput(opts: unknown): opts is { output: unknown } {
  return isPlainObject(opts) && opts['output'] !== undefined;
}

/** Chooses the persona's name: trimmed, and not checked, which loading the persona does. */
export function choosePersona(opts: unknown, sessionPersona: string): ResolvedValue<string> {
  const given = optionFields(opts)['persona'];
  return choose(optionRules.persona, given, personaTiers(sessionPersona));
}

function personaTiers(ofSession: string): Tier<string>[] {
  return [['session', parseText(ofSession)]];
}

/**
 * The turn whose place a turn takes; undefined: it follows the last one. Other options with a fault are
 * ignored; this one is not: the turn would stand where its sender did not mean it.
 *
 * @throws TypedError INVALID_REQUEST 400.
 */
export function parseReplaced(opts: unknown): string | undefined {
  const { replaces } = optionFields(opts);
  if (replaces === undefined || replaces === null) return undefined;
  if (typeof replaces === 'string' && isId('turn', replaces)) return replaces;
  throw invalidRequest(
    "'opts.replaces' must be the id of a turn of the session, as turn_…; leave it out to add a turn",
  );
}
