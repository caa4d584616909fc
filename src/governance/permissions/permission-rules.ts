import * as z from 'zod/mini';
import { parseValue, type Parsed, type Fault, show } from '../../platform/parsing/parse-value.js';
import { fieldsOf } from '../../platform/parsing/shapes.js';
import { isPlainObject } from '../../platform/json.js';
import type { PermissionRules } from '../../storage/shapes/stored-options.js';
import type { RuleTool } from '../permission-subject.js';
import { unknownName } from '../../platform/parsing/nearest-name.js';
import { matchText } from './match-pattern.js';
import { askRuleShape } from './approver-rules.js';

/** A parsed rule. */
interface PermissionRule {
  /** The tool's name; `*` stands for any characters. */
  tool: string;
  /** Pattern for the tool's argument; absent: every call of the tool. */
  pattern?: string;
}

export type ParsedRule = { rule: PermissionRule } | { fault: string };

/** The end of a fault's message. */
const examples = 'for example read, write(docs/**) or bash(git status*)';

/** @returns the rule, or the fault in its text with the allowed forms. */
export function parsePermissionRule(text: string): ParsedRule {
  const [, tool, pattern] = /^([\w*-]*)(?:\(([\s\S]*)\))?$/.exec(text.trim()) ?? [];
  if (tool === undefined) {
    return { fault: `must be a tool, or a tool and a pattern in parentheses, ${examples}` };
  }
  if (tool === '') return { fault: `must begin with the name of a tool, ${examples}` };
  if (pattern === undefined) return { rule: { tool } };
  if (pattern.trim() === '') return { fault: `has an empty pattern: write ${tool} for every call` };
  if (tool.includes('*')) {
    return { fault: `names tools with *, which takes no pattern: write ${tool} for every call` };
  }
  return { rule: { tool, pattern } };
}

/** Injects the server's own rules for tools. */
export const SERVER_PERMISSIONS = Symbol('ServerPermissions');

export const ruleLists = ['allow', 'ask', 'deny'] as const;

const MAX_RULES = 100;
const MAX_RULE_CHARS = 500;

const ruleText = z.string('must be text, for example "bash(git status*)"').check(
  z.maxLength(MAX_RULE_CHARS, `must have at most ${MAX_RULE_CHARS} characters`),
  z.refine((rule) => !rule.includes('\0'), 'must not have the character NUL'),
);
const listExpected = 'must be a list of rules, for example ["read"]';
const rules = z.exactOptional(z.array(ruleText, listExpected));
const askRules = z.exactOptional(z.array(askRuleShape(ruleText), listExpected));

const rulesShape = fieldsOf(
  { allow: rules, ask: askRules, deny: rules },
  'must be a map of allow, ask and deny, for example {"allow": ["bash(git status*)"], "ask": ["write(docs/**)"], "deny": ["grep"]}',
);

/**
 * Validates the rules of a request, a file or the environment.
 *
 * @param tools undefined: the rules' tool names are not checked.
 */
export function validatePermissionRules(
  given: unknown,
  tools: readonly RuleTool[] | undefined,
): Parsed<PermissionRules> {
  const lists = isPlainObject(given) ? ruleLists.map((list) => [list, given[list]] as const) : [];
  const items = lists.flatMap(([list, listed]) =>
    Array.isArray(listed)
      ? listed.map((rule: unknown, index) =>
          list === 'ask' && isPlainObject(rule)
            ? { rule: rule['rule'], path: [list, index, 'rule'] }
            : { rule, path: [list, index] },
        )
      : [],
  );
  if (items.length > MAX_RULES) {
    const message = `has ${items.length} rules; at most ${MAX_RULES} are allowed`;
    return { faults: [{ path: [], message }] };
  }
  const parsed = parseValue(rulesShape, given);
  const wrong = items.flatMap(({ rule, path }): Fault[] => {
    const message = typeof rule === 'string' ? ruleFault(rule, tools) : undefined;
    return message === undefined ? [] : [{ path, message }];
  });
  const faults = [...(parsed.faults ?? []), ...wrong];
  return faults.length === 0 ? parsed : { faults };
}

/**
 * The fault in a rule's text or in the tool it names; undefined for a valid rule.
 *
 * @param tools undefined: the tool is not checked.
 */
export function ruleFault(text: string, tools?: readonly RuleTool[]): string | undefined {
  const parsed = parsePermissionRule(text);
  if ('rule' in parsed && tools && !isKnown(parsed.rule.tool, tools)) {
    return unknownName(
      'tool',
      parsed.rule.tool,
      tools.map(({ name }) => name),
    );
  }
  const fault = 'fault' in parsed ? parsed.fault : tools && patternFault(parsed.rule, tools);
  return fault && `${fault}; it is ${show(text)}`;
}

/** Whether there is such a tool, or may be only later, as those of MCP servers. */
function isKnown(tool: string, tools: readonly RuleTool[]): boolean {
  if (tool.startsWith('mcp__') || tool.startsWith('*')) return true;
  return tools.some(({ name }) => matchText(tool, name));
}

function patternFault(
  { tool, pattern }: PermissionRule,
  tools: readonly RuleTool[],
): string | undefined {
  if (pattern === undefined) return undefined;
  const kind = tools.find(({ name }) => name === tool)?.permissionArgument?.kind;
  if (kind === undefined) {
    return `has a pattern, and ${tool} no argument that patterns are about: write ${tool} for every call`;
  }
  if (pattern !== pattern.trim()) return 'has a pattern that begins or ends with a blank';
  return kind === 'path' ? pathFault(pattern) : undefined;
}

/** Rejects syntax of other matchers: here it would never match, and so never deny. */
function pathFault(pattern: string): string | undefined {
  if (pattern.split('/').includes('..')) {
    return 'has .. in its path: write what is outside the project as an absolute path';
  }
  if (pattern.startsWith('~')) return 'has a path that begins with ~: write it as an absolute path';
  if (pattern.startsWith('!')) return 'begins its path with !: write the rule in another list';
  if (/\{[^}]*,/.test(pattern)) return 'has {…} in its path: write a rule for each of them';
  if (pattern.length > 1 && pattern.endsWith('/')) {
    return `has a path that ends in /: write ${pattern}** for what is in the folder`;
  }
  return undefined;
}
