import { DEFAULT_MODEL } from '../provider/model-resolver.js';
import { parseThinking } from '../provider/thinking.js';
import {
  busyPolicies,
  type AttachmentsAs,
  type ClientTool,
  type OnDisconnect,
  type OutputTerms,
  type Priority,
  efforts,
  type ThinkingChoice,
} from '../storage/shapes/stored-options.js';
import { isStorable } from '../storage/connection.js';
import { jsonObject } from '../http/fields/json-schemas.js';
import { outputExpected, parseOutput } from '../output/schema-checks.js';
import { clientToolsExpected, parseClientTools } from './client-tools.js';
import { choiceRule, countRule, nameRule, textRule, type OptionRule } from './option-rule.js';

/**
 * Rules of all options but `agentConfig` (see `resolveLimits`) and `subagentGovernance`, which is
 * passed on unchecked.
 */
export const optionRules = {
  model: nameRule('The model.', DEFAULT_MODEL),
  fallbackModel: nameRule(
    'The model that goes on where `model` is overloaded, not found or declines.',
    undefined,
  ),
  tools: {
    about: 'The tools that the turn may use; none where it is empty.',
    schema: { type: [String] },
    parse: parseNames,
    expected: 'an array of strings',
    fallback: () => ['read', 'write', 'bash'],
  } satisfies OptionRule<string[]>,
  skills: {
    about: 'The skills of its agent that the turn may have; none where it is empty.',
    schema: { type: [String] },
    parse: parseNames,
    expected: 'an array of strings',
    fallback: () => undefined,
  } satisfies OptionRule<string[] | undefined>,
  maxTurns: countRule('Most model calls.', 12),
  maxTokens: countRule('Most tokens of a reply.', undefined),
  maxCostUsd: {
    about: 'Most that the turn may cost, in US dollars.',
    schema: { type: Number },
    parse: (value) =>
      typeof value === 'number' && value > 0 && value < Infinity ? value : undefined,
    expected: 'a number of dollars greater than 0',
    fallback: () => undefined,
  } satisfies OptionRule<number | undefined>,
  persona: textRule('The agent.', 'WORKING_ITEMS'),
  mode: nameRule('The permission mode.', 'direct'),
  onDisconnect: choiceRule<OnDisconnect>(
    'Whether the turn ends or goes on when its last reader has left.',
    ['cancel', 'continue'],
  ),
  onBusy: choiceRule('What becomes of the turn while its session has an active one.', busyPolicies),
  priority: choiceRule<Priority>('A background turn runs when no normal one waits.', [
    'normal',
    'background',
  ]),
  thinking: {
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
    fallback: () => false,
  } satisfies OptionRule<ThinkingChoice>,
  citations: {
    about: 'Whether the model cites the passages of files that it uses.',
    schema: { type: Boolean },
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
    expected: 'true or false',
    fallback: () => false,
  } satisfies OptionRule<boolean>,
  memory: {
    about: 'Whether the turn has the memory of its principal and agent.',
    schema: { type: Boolean },
    parse: (value) => (typeof value === 'boolean' ? value : undefined),
    expected: 'true or false',
    fallback: () => false,
  } satisfies OptionRule<boolean>,
  attachmentsAs: choiceRule<AttachmentsAs>(
    'Files for the model: in their own format, or as text.',
    ['native', 'text'],
  ),
  output: {
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
    fallback: () => undefined,
  } satisfies OptionRule<OutputTerms | undefined>,
  clientTools: {
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
  } satisfies OptionRule<ClientTool[]>,
};

/** An explicit `[]` is valid: no tools. Duplicates count once. */
function parseNames(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const names = new Set<string>();
  for (const item of value as unknown[]) {
    if (typeof item !== 'string' || !isStorable(item)) return undefined;
    const name = item.trim();
    if (name !== '') names.add(name);
  }
  return [...names];
}
