import * as z from 'zod/mini';
import { askRuleShape, askText } from '../governance/permissions/approver-rules.js';
import { ruleFault, ruleLists } from '../governance/permissions/permission-rules.js';
import {
  checkedBy,
  fieldsOf,
  filledText,
  parsedBy,
  wholeNumber,
  onWrongType,
} from '../platform/parsing/shapes.js';
import { isPlainObject } from '../platform/json.js';
import { parseThinking } from '../provider/thinking.js';
import { permissionModes, type OutputTerms, efforts } from '../storage/shapes/stored-options.js';
import { parseOutput } from '../tools/output/schema-checks.js';
import {
  agentConfigFields,
  validateAgentConfig,
} from '../governance/decision-tree/agent-config.js';

/** A map of limits by their wire names. */
export const limitsShape = z.pipe(
  z.strictObject(
    Object.fromEntries(
      agentConfigFields.map(({ wireName, min, max }) => [
        wireName,
        z.exactOptional(wholeNumber(min, max)),
      ]),
    ),
    { error: onWrongType('must be a map, for example {max_iterations: 10}') },
  ),
  z.transform((limits) => validateAgentConfig(limits).config),
);

const text = z.exactOptional(filledText());
const limits = z.exactOptional(limitsShape);

const header = (allowed: readonly string[]) =>
  z.exactOptional(
    parsedBy(
      (given) => allowed.find((one) => one === asText(given)?.replace(/^TYPE\s+/, '')),
      `must be one of ${allowed.join(', ')}`,
    ),
  );

const entries = (entry: z.ZodMiniType<string>, expected: string) =>
  z.exactOptional(z.pipe(z.array(entry, expected), z.transform(distinct)));

const name = parsedBy(asText, 'must be a name');
const names = entries(name, 'must be a list of names, for example [read, write]');

const fallbacks = z.exactOptional(
  z.pipe(
    z
      .array(name, 'must be a list of names, for example [model-a, model-b]')
      .check(z.maxLength(5, 'must be a list of five names at most')),
    z.transform(distinct),
  ),
);

const rule = z.pipe(
  parsedBy(asText, 'must be a rule, for example read or "bash(git status*)"'),
  z.string().check(checkedBy((text) => (text === '' ? undefined : ruleFault(text)))),
);
const rulesExpected = 'must be a list of rules, for example [read, "bash(git status*)"]';
const rules = entries(rule, rulesExpected);
const askRules = z.exactOptional(
  z.pipe(
    z.array(askRuleShape(rule, 'rule'), rulesExpected),
    z.transform((given) => given.filter((one) => askText(one) !== '')),
  ),
);

/** A list of names; unlike `names`, no comma-separated text. `[]` is a value. */
const listOf = (what: string, example: string) =>
  z.pipe(
    parsedBy(
      (given: unknown) => (isTexts(given) ? given : undefined),
      `must be a list of ${what} names, for example [${example}]`,
    ),
    z.transform(distinct),
  );

const thinking = parsedBy(
  (given) => {
    const effort = efforts.find((level) => level === given);
    return effort === undefined ? parseThinking(given) : { effort };
  },
  `must be true, false, one of ${efforts.join(', ')}, or {effort, display}`,
);

const output = z.transform((given: unknown, payload): OutputTerms => {
  const parsed = parseOutput(given);
  if ('output' in parsed) return parsed.output;
  payload.issues.push({ code: 'custom', input: given, message: `must be ${parsed.fault}` });
  return z.NEVER;
});

/** The front matter of an agent's file. */
export const agentShape = fieldsOf({
  name: text,
  title: text,
  description: text,
  model: text,
  fallback_model: text,
  fallback_models: fallbacks,
  tools: z.exactOptional(listOf('tool', 'read, write')),
  max_turns: z.exactOptional(
    wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be an integer greater than 0'),
  ),
  permissions: z.exactOptional(
    fieldsOf(
      { mode: z.exactOptional(z.enum(permissionModes)), allow: rules, ask: askRules, deny: rules },
      'must be a map, for example {mode: plan, deny: [bash]}',
    ),
  ),
  limits,
  subagents: names,
  skills: z.exactOptional(listOf('skill', 'release-notes')),
  decision_tree: text,
  // `parseMcpServers` checks the servers: a fault leaves the agent without them.
  mcp_servers: z.exactOptional(z.unknown()),
  attachments: z.exactOptional(z.enum(['native', 'text'])),
  citations: z.exactOptional(z.boolean()),
  memory: z.exactOptional(z.boolean()),
  thinking: z.exactOptional(thinking),
  output: z.exactOptional(output),
  AGENT_TYPE: header(['0', '1', '2']),
  AGENT_CLASS: header(['PERSONA', 'TASK']),
  // Older names, of `limits` and of fields of `permissions`.
  agent_config: limits,
  auto_approve_tools: names,
  disallowed_tools: names,
});

/** Separators of lists that may be text. A rule's pattern, in parentheses, may have commas. */
const separators = new Map([
  ...['subagents', 'auto_approve_tools', 'disallowed_tools'].map((field) => [field, /,/] as const),
  ...ruleLists.map((field) => [field, /,(?![^(]*\))/] as const),
]);

/** Makes lists of text with commas. A shape that did it could not leave out an entry alone. */
export function splitLists(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found = Object.entries(fields).map(([key, value]): [string, unknown] => {
    if (key === 'permissions' && isPlainObject(value)) return [key, splitLists(value)];
    const separator = separators.get(key);
    return [key, (separator && asText(value)?.split(separator)) ?? value];
  });
  return Object.fromEntries(found);
}

export type AgentFields = z.infer<typeof agentShape>;

function asText(given: unknown): string | undefined {
  const isScalar = ['string', 'number', 'boolean'].includes(typeof given);
  return isScalar ? String(given).trim() : undefined;
}

function isTexts(given: unknown): given is string[] {
  return Array.isArray(given) && given.every((item) => typeof item === 'string');
}

function distinct(entries: string[]): string[] {
  return [...new Set(entries.map((entry) => entry.trim()).filter((entry) => entry !== ''))];
}
