import { unknownName } from '../../parsing/nearest-name.js';
import { show } from '../../parsing/word-issue.js';
import type { RuleTool } from '../permission-subject.js';
import { matchText } from './match-pattern.js';
import { parsePermissionRule, type PermissionRule } from './permission-rules.js';

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
