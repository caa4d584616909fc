import type { ArgumentKind, RuleTool } from '../permission-subject.js';
import { matchText } from './match-pattern.js';
import { parsePermissionRule, type PermissionRule } from './permission-rules.js';

/**
 * @param tools undefined: the tool's name is not checked.
 * @returns the fault in a rule's text or in the tool it names; undefined for a valid rule.
 */
export function ruleFault(
  text: string,
  tools: readonly RuleTool[] | undefined,
): string | undefined {
  const parsed = parsePermissionRule(text);
  if ('fault' in parsed) return parsed.fault;
  const { rule } = parsed;
  if (tools === undefined) return undefined;
  if (!isOpenName(rule.tool) && !tools.some(({ name }) => matchText(rule.tool, name))) {
    const names = tools.map(({ name }) => name).join(', ');
    return `names the tool ${JSON.stringify(rule.tool)}, which does not exist; there is ${names}`;
  }
  const tool = tools.find(({ name }) => name === rule.tool);
  return patternFault(rule, tool?.permissionArgument?.kind);
}

/** Whether the name may belong to a tool that the server has only later, such as an MCP tool. */
export function isOpenName(tool: string): boolean {
  return tool.startsWith('mcp__') || tool.startsWith('*');
}

/** @param kind of the tool's declared argument; undefined: the tool declares none. */
export function patternFault(
  { tool, pattern }: PermissionRule,
  kind: ArgumentKind | undefined,
): string | undefined {
  if (pattern === undefined) return undefined;
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
